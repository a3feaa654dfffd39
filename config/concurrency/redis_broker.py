"""Redis as a broker that goes away: what Kombu 5.7 answers with an error of its own is told as a lost connection."""

from typing import Any

from kombu.transport import redis


class LeavingChannel(redis.Channel):
    def _connparams(self, asynchronous: bool = False) -> Any:
        """Whoever has a message in work as the broker goes acknowledges it later, or gives it back, on a channel whose
        connection is closed. Kombu then looks for the address of a client that is no more and raises AttributeError,
        by which a worker's consumer ends for good; of a lost connection it knows what to do."""
        if self.connection is None or self.connection.client is None:
            raise ConnectionResetError("the channel's connection to the broker is closed")
        return super()._connparams(asynchronous=asynchronous)  # type: ignore[no-untyped-call]


class LeavingTransport(redis.Transport):
    Channel = LeavingChannel
