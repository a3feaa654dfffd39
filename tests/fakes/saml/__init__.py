"""SAML providers of tests: one made by hand, which says whatever a test wants, and a real one in its own process."""
