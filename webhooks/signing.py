"""What is sent and how it is signed: the Standard Webhooks specification, 1.0 (symmetric, `v1`).

The signature is over `{webhook-id}.{webhook-timestamp}.{body}`; after a new secret was made there are two of them.
"""

import base64
import hmac
import json
import secrets
from collections.abc import Iterable, Mapping

from webhooks.models import Delivery

PREFIX = "whsec_"
SECRET_BYTES = 32  # the specification asks for 24 to 64


def new_secret() -> str:
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def body_of_delivery(delivery: Delivery) -> bytes:
    """The same to the byte in every attempt."""
    told = {"type": delivery.event, "timestamp": delivery.created_at.isoformat(), "data": delivery.data}
    return json.dumps(told, separators=(",", ":"), sort_keys=True).encode()


def signed_headers(message_id: str, timestamp: int, body: bytes, with_secrets: Iterable[str]) -> Mapping[str, str]:
    """`timestamp` in seconds, of the attempt: receivers refuse what is old."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(f"v1,{signature(one, signed)}" for one in with_secrets),
    }


def signature(secret: str, signed: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(PREFIX))
    return base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
