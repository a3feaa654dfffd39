"""A DNS server on loopback that knows the TXT records that a test gives it."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import dns.flags
import dns.message
import dns.rcode
import dns.rrset


class NameServer:
    """`records` by name without a final dot; `rcode` where it is to fail, `is_silent` where it is not to answer."""

    def __init__(self, port: int) -> None:
        self.address = f"127.0.0.1:{port}"
        self.records: dict[str, list[str]] = {}
        self.rcode = dns.rcode.NOERROR
        self.is_silent = False

    def answer(self, asked: bytes) -> bytes:
        query = dns.message.from_wire(asked)
        answer = dns.message.make_response(query)
        answer.flags |= dns.flags.RA
        name = query.question[0].name
        found = self.records.get(name.to_text(omit_final_dot=True))
        answer.set_rcode(self.rcode if found or self.rcode else dns.rcode.NXDOMAIN)
        if found and not self.rcode:
            answer.answer.append(dns.rrset.from_text(name, 60, "IN", "TXT", *(f'"{one}"' for one in found)))
        return answer.to_wire()


@contextmanager
def name_server() -> Iterator[NameServer]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
        listening.bind(("127.0.0.1", 0))
        server = NameServer(listening.getsockname()[1])

        def serve() -> None:
            while True:
                asked, sender = listening.recvfrom(4096)
                if not asked:
                    return
                if not server.is_silent:
                    listening.sendto(server.answer(asked), sender)

        thread = Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            listening.sendto(b"", listening.getsockname())
            thread.join(5)
