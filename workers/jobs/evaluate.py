"""A run of a question set whose turn it is. It takes minutes: one at a time in a process, documents go on beside it."""

import threading

from evaluation import runs

_one_at_a_time = threading.Lock()


def evaluate_next() -> bool:
    """Do the next run; False when none waits, or one is under way in this process."""
    if not _one_at_a_time.acquire(blocking=False):
        return False
    try:
        return runs.run_next_evaluation()
    finally:
        _one_at_a_time.release()
