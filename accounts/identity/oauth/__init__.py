"""Programs that a person lets in at `/mcp`, by OAuth 2.1 (docs/mcp.md, docs/adr/0025-oauth-for-mcp.md)."""
