"""`python -m bench`: measures Acervo against its performance targets and against a bare reference."""
