"""Row-level security: in whose name each statement runs, and what PostgreSQL lets that name see (ADR 0016)."""
