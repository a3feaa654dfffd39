"""Which embedding spaces exist, which one readers see, and whether a model is still the one it was (ADR 0010)."""
