"""What agents tell the floors above: a program has searched (`search`: agents.searching.Search, `retrieval`)."""

from django.dispatch import Signal

searched = Signal()
