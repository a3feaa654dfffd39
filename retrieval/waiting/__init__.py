"""How a search waits for networks: on a thread or on the event loop, with a deadline, and not for what is dead."""
