"""Which servers may be asked: names that the installation allows, addresses of the internet or of allowed networks."""

import pytest

from tools.hosts import HostRefused, is_allowed_name, pinned_address

HOST, PORT = "db.example.org", 5432


def resolving(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    found = [(0, 1, 6, "", (one, 5432)) for one in addresses]
    monkeypatch.setattr("tools.hosts.socket.getaddrinfo", lambda *args, **named: found)


@pytest.mark.parametrize(
    ("host", "is_allowed"),
    [
        ("db.example.org", True), ("DB.example.org.", True), ("a.b.warehouse.example", True),
        ("warehouse.example", False), ("evilwarehouse.example", False), ("db.example.org.evil.example", False),
        ("localhost", False), ("10.0.0.7", False),
    ],
)  # fmt: skip
def test_names_are_on_a_list(host: str, is_allowed: bool) -> None:
    assert is_allowed_name(host, ["db.example.org", ".warehouse.example"]) is is_allowed


def test_without_a_list_no_server_may_be_asked() -> None:
    with pytest.raises(HostRefused, match="not_allowed"):
        pinned_address(HOST, PORT, [], [])


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
        "255.255.255.255", "::1", "::", "fe80::1%eth0", "fc00::1", "fd00::1", "ff02::1", "::ffff:127.0.0.1",
        "::ffff:10.0.0.1", "2002:7f00:1::", "64:ff9b::7f00:1", "64:ff9b::a00:1", "2001:db8::1", "fec0::1",
    ],
)  # fmt: skip
def test_an_address_of_our_own_network_is_refused_also_beside_a_good_one(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for found in ((address,), ("93.184.216.34", address)):
        resolving(monkeypatch, *found)
        with pytest.raises(HostRefused, match="private"):
            pinned_address(HOST, PORT, ["*"], [])


def test_a_public_address_and_one_of_an_allowed_network_are_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    networks = ["10.1.0.0/16"]
    resolving(monkeypatch, "93.184.216.34")
    assert pinned_address(HOST, PORT, ["*"], networks) == "93.184.216.34"
    resolving(monkeypatch, "10.1.0.9")
    assert pinned_address(HOST, PORT, ["*"], networks) == "10.1.0.9"
    resolving(monkeypatch, "10.2.0.9")
    with pytest.raises(HostRefused, match="private"):
        pinned_address(HOST, PORT, ["*"], networks)


def test_a_name_without_an_address_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    resolving(monkeypatch)
    with pytest.raises(HostRefused, match="unknown"):
        pinned_address("nowhere.example", PORT, ["*"], [])
