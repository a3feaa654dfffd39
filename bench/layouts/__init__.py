"""Layouts of a collection for many tenants, measured on Qdrant's engine itself (Edge): memory, time, recall."""
