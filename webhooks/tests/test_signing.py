"""Signatures as the Standard Webhooks specification has them, and the example of docs/webhooks.md that verifies one."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from webhooks.models import Delivery, Event
from webhooks.signing import body_of_delivery, new_secret, signed_headers

# The example of the reference implementations (github.com/standard-webhooks/standard-webhooks, tests of the libraries).
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
MESSAGE_ID, TIMESTAMP, BODY = "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}'
SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_the_specification_s_example_is_signed_as_there() -> None:
    headers = signed_headers(MESSAGE_ID, TIMESTAMP, BODY, [SECRET])
    assert headers == {
        "webhook-id": MESSAGE_ID, "webhook-timestamp": str(TIMESTAMP), "webhook-signature": SIGNATURE,
    }  # fmt: skip


def test_two_secrets_sign_side_by_side() -> None:
    one, other = new_secret(), new_secret()
    assert one != other
    said = signed_headers(MESSAGE_ID, TIMESTAMP, BODY, [one, SECRET])["webhook-signature"].split(" ")
    assert len(said) == 2
    assert said[1] == SIGNATURE


def test_a_body_is_the_same_to_the_byte_each_time() -> None:
    delivery = Delivery(event=Event.PING, data={"b": 1, "a": "é"})
    assert body_of_delivery(delivery) == body_of_delivery(delivery)
    told = json.loads(body_of_delivery(delivery))
    assert told == {"type": "ping", "timestamp": delivery.created_at.isoformat(), "data": {"a": "é", "b": 1}}


def example() -> Any:
    """`verify` of docs/webhooks.md."""
    text = (Path(__file__).parents[2] / "docs" / "webhooks.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    return names["verify"]


@pytest.mark.parametrize("is_changed", [False, True])
def test_the_documented_verification_takes_what_is_signed_and_nothing_else(is_changed: bool) -> None:
    import time

    headers = dict(signed_headers(MESSAGE_ID, int(time.time()), BODY, [new_secret(), SECRET]))
    assert example()(SECRET, headers, BODY + (b" " if is_changed else b"")) is not is_changed
    headers["webhook-timestamp"] = "1614265330"
    assert not example()(SECRET, headers, BODY)
