"""What `make bench` measures: PERFORMANCE.md's targets beside a bare reference."""
