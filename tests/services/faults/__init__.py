"""RELIABILITY's faults on one installation of real processes: each alone, with a backlog, and two at a time.

    rows        a fault by its row of the table: what breaks, what must hold meanwhile, what mends it
    trial       one run of one or two of them: work before, within and after; what was lost, doubled or stuck
    ground      the processes and services that are hurt, a relay before each service
    relay       a wire that can be slow, silent or cut

`tests/services/faults/test_rows.py` runs each once, `make chaos` (`python -m tests.services.faults`) twenty times.
"""
