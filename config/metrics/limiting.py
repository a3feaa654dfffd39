"""What is counted of limits: who asks for more than is allowed is refused (RELIABILITY R21)."""

from prometheus_client import Counter

from config.metrics import shared as shared  # says where they are kept, before the first is made

REFUSED = Counter("quota_refused_total", "Calls refused by a limit, by whose it is", ["limit", "per"])
