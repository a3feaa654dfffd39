"""What was asked of the workers from here, told downwards-up: ids only, after the commit."""

from django.dispatch import Signal

erasure_requested = Signal()  # receipt_id: UUID — of a person or an organization
export_requested = Signal()  # export_id: UUID
