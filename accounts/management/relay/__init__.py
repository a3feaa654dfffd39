"""Commands that a running server carries out, over a local socket: `address`, `wire`, `client`, `hangup`.

The server's half is `workers.management.relay_server`.
"""
