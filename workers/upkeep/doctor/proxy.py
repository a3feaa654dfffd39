"""The way in, as a browser goes it: what the proxy adds, hides and lets through."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from django.conf import settings

from config.observability.correlation import REQUEST_ID
from workers.upkeep.doctor.asking import asked
from workers.upkeep.doctor.findings import DoctorWishes, Found, doubtful, fine, wrong

AS_SHIPPED = "Compare the proxy with deploy/proxy.conf."


def examine_proxy(wishes: DoctorWishes) -> Iterator[Found]:
    url = wishes.url or next(iter(settings.CSRF_TRUSTED_ORIGINS), "")
    if not url:
        yield fine("not asked: give --url, or set CSRF_TRUSTED_ORIGINS")
        return
    split = urlsplit(url)
    try:
        status, headers = asked(split.scheme, split.netloc, "/accounts/login/")
    except Exception as error:  # a name, a port, a certificate
        said = f"{split.netloc} cannot be reached from here: {type(error).__name__}"
        yield doubtful(said, "Look at its name, its certificate, and the proxy; or ask from outside with --url.")
        return
    faults = [*faults_of_answer(split.scheme, status, headers)]
    if asked(split.scheme, split.netloc, "/metrics")[0] == 200:
        faults.append("shows /metrics to strangers")
    if split.scheme == "https" and not settings.HTTPS:
        faults.append("ends TLS, and HTTPS is not set: cookies go without `secure`, everybody has the proxy's address")
    for fault in faults:
        yield wrong(f"{split.netloc} {fault}", AS_SHIPPED)
    if not faults:
        yield fine(f"{split.netloc} leads here, with the headers that it should have")


def faults_of_answer(scheme: str, status: int, headers: object) -> Iterator[str]:
    has = getattr(headers, "get", lambda _name: None)
    if status != 200:
        yield f"answers {status} for the sign-in page"
    if not has(REQUEST_ID):
        yield "does not lead to Acervo, or takes its headers away (X-Request-ID)"
    if not has("Content-Security-Policy"):
        yield "has no Content-Security-Policy"
    if scheme == "https" and not has("Strict-Transport-Security"):
        yield "has no Strict-Transport-Security"
