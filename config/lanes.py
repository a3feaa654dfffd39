"""The names of the lanes of background work; with a broker also of its queues (ADR 0002)."""

UPKEEP, SHORT, INGESTION = "upkeep", "short", "ingestion"
LANES = (UPKEEP, SHORT, INGESTION)
