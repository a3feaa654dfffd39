"""What happened to evaluations, told downwards-up: `workers` listens (DESIGN.md)."""

from django.dispatch import Signal

runs_waiting = Signal()  # question_set_id
