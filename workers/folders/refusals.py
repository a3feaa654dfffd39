"""Files of the watched folder that are refused: nobody is there to be told, so the log is, once for each version.

What was told is remembered as claims by hashes, which every process sees and which outlive it.
"""

import logging
import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from corpora.models import Corpus
from workers.models import Claim

logger = logging.getLogger(__name__)


def tell_refused(folder: Path, corpus: Corpus, refused: Mapping[str, str]) -> None:
    """Name each file with its reason, unless this was done for the file as it is now; forget those that are not refused
    any more. `refused`: reasons by path relative to the folder."""
    told = dict(Claim.objects.filter(name__startswith=claim_name(corpus)).values_list("name", "noted"))
    for relative, reason in refused.items():
        name, version = claim_name(corpus, relative), version_of(folder / relative, reason)
        if told.pop(name, None) != version:
            logger.warning("corpus %s: %r of its folder is refused: %s", corpus.pk, relative, reason)
            Claim.objects.update_or_create(name=name, defaults={"noted": version})
    Claim.objects.filter(name__in=told).delete()


def forget_refused(corpus: Corpus) -> None:
    Claim.objects.filter(name__startswith=claim_name(corpus)).delete()


def claim_name(corpus: Corpus, relative: str = "") -> str:
    """The name of a file's claim, and without one what those of all its files begin with."""
    return f"refused:{corpus.pk}:{sha256(os.fsencode(relative)).hexdigest() if relative else ''}"


def version_of(path: Path, reason: str) -> int:
    """Another one when the file was written since, or is refused for another reason."""
    try:
        written = path.stat()
        seen = f"{written.st_mtime_ns}\0{written.st_size}\0{reason}"
    except OSError:
        seen = reason
    return int.from_bytes(sha256(seen.encode(errors="surrogateescape")).digest()[:7])
