"""OpenID providers on loopback: a real one as a process, and one that lies at the wire."""
