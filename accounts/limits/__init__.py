"""How much a member and an organization may have and do (RELIABILITY R21; docs/limits.md)."""
