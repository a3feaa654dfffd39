"""One GET as a stranger makes it: of the site's own way in, and of a file that no stranger should get."""

import http.client
import ssl


def asked(scheme: str, netloc: str, place: str, seconds: float = 5.0) -> tuple[int, http.client.HTTPMessage]:
    """Status and headers of a GET. Raises OSError and HTTPException."""
    if scheme == "https":
        link: http.client.HTTPConnection = http.client.HTTPSConnection(
            netloc, timeout=seconds, context=ssl.create_default_context()
        )
    else:
        link = http.client.HTTPConnection(netloc, timeout=seconds)
    try:
        link.request("GET", place, headers={"User-Agent": "acervo-doctor"})
        answer = link.getresponse()
        return answer.status, answer.headers
    finally:
        link.close()
