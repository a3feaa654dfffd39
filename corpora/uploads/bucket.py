"""Originals in an S3 bucket: one client for the whole process, and transfers on the thread that asked for them."""

import os
import threading
from typing import Any

from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from storages.backends.s3 import S3Storage

from config.env import addressing_style

# Building a client reads the service's description (63 to 240 ms) and opens connections of its own: with one for each
# thread a hundred uploads at once built a hundred. A client may be used by all threads; a fork needs another.
CONNECTIONS = 32
# An upload has at most MAX_UPLOAD_BYTES and a thread of its own already; boto's ten more for each buy nothing.
IN_ONE_PIECE = TransferConfig(use_threads=False, multipart_threshold=64 * 1024 * 1024)


def client_config() -> Config:
    """Botocore's own patience is a minute to connect and five attempts: an upload would hang with a dead store."""
    return Config(
        connect_timeout=3,
        read_timeout=20,
        retries={"mode": "standard", "total_max_attempts": 2},
        max_pool_connections=CONNECTIONS,
        s3={"addressing_style": addressing_style()},
    )


class Bucket(S3Storage):  # type: ignore[misc]
    """django-storages' own, which makes a client for each thread."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(client_config=client_config(), transfer_config=IN_ONE_PIECE, **settings)
        self._making, self._made, self._pid = threading.Lock(), None, 0

    @property
    def connection(self) -> Any:
        with self._making:
            if self._made is None or self._pid != os.getpid():
                self._connections = threading.local()  # what the class keeps for this thread, of before the fork
                self._bucket, self._pid = None, os.getpid()
                self._made = super().connection
            return self._made

    @property
    def bucket(self) -> Any:
        """Of this process."""
        return self.connection.Bucket(self.bucket_name)

    def answers(self) -> bool:
        """Whether the bucket is there and lets us look into it; raises what boto raises otherwise. A key that is
        missing says nothing: a store without the bucket answers 404 as well."""
        self.connection.meta.client.head_bucket(Bucket=self.bucket_name)
        return True
