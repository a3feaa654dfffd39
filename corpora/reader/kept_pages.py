"""Images of pages in the file store: made when asked for, and gone with their version, their document, or in time.

    page-images/GENERATION/CORPUS/DOCUMENT/VERSION-SHA-PAGE-WIDTH.png (the corpus that the original lies under)

A generation is PAGE_IMAGES_DAYS long. The present one and the one before are looked at; upkeep removes what is older,
so that nothing is kept for longer than twice that. How much there may be of all says `corpora.reader.page_room`.
"""

import logging
import shutil
import time
from collections.abc import Iterator

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, default_storage

from config.faults import describe_error
from corpora.models import Document
from corpora.reader.page_room import make_room_for_images, note_use, take_room
from corpora.uploads.inventory import stored_names

logger = logging.getLogger(__name__)

FOLDER = "page-images"
DAY = 86_400  # seconds


def present_generation() -> int:
    """0 where no image is kept."""
    days = settings.PAGE_IMAGES_DAYS
    return int(time.time() // (DAY * days)) if days > 0 else 0


def kept_page(document: Document, number: int | str, width: int) -> bytes | None:
    """The image, if it was made not long ago. A store that does not answer has none."""
    present = present_generation()
    for generation in (present, present - 1) if present else ():
        name = _name(document, number, width, generation)
        try:
            with default_storage.open(name) as file:
                image = bytes(file.read())
        except FileNotFoundError:
            continue
        except Exception as error:  # boto raises its own hierarchy
            logger.warning("the file store does not give an image of a page: %s", describe_error(error))
            return None
        note_use(name)
        return image
    return None


def keep_page(document: Document, number: int | str, width: int, image: bytes) -> str | None:
    """Under which name, None where it is not kept: images are made anew as often as need be."""
    if not (generation := present_generation()) or not take_room(len(image)):
        return None
    try:
        return default_storage.save(_name(document, number, width, generation), ContentFile(image))
    except Exception as error:
        logger.warning("the file store does not take an image of a page: %s", describe_error(error))
        return None


def discard_page(name: str) -> None:
    """What the store refuses now goes with its generation."""
    try:
        default_storage.delete(name)
    except Exception as error:
        logger.warning("an image of a page is still in the file store: %s", describe_error(error))


def _name(document: Document, number: int | str, width: int, generation: int) -> str:
    """The checksum tells a file that was replaced from the version that was read of the one before."""
    return f"{_folder(generation, document)}{document.version}-{document.sha256[:16]}-{number}-{width}.png"


def _folder(generation: int | str, document: Document) -> str:
    return f"{FOLDER}/{generation}/{document.folder}/"


def forget_pages(document: Document, *, but_version: int | None = None) -> int:
    """Remove the images of a document, or of its other versions; how many there were. Raises the store's error, or
    RuntimeError when something is still there afterwards."""
    names = list(_names_of(document, but_version))
    for name in names:
        default_storage.delete(name)
    if names and any(_names_of(document, but_version)):
        raise RuntimeError(f"images of document {document.pk} survived their deletion")
    return len(names)


def _names_of(document: Document, but_version: int | None) -> Iterator[str]:
    kept = f"{but_version}-"
    for generation in _generations():
        for name in stored_names(_folder(generation, document)):
            if but_version is None or not name.rpartition("/")[2].startswith(kept):
                yield name


def _generations() -> list[str]:
    try:
        return default_storage.listdir(FOLDER)[0]
    except FileNotFoundError:
        return []


def forget_past_pages() -> int:
    """Remove the generations that nobody looks at any more; how many there were."""
    present = present_generation()
    looked_at = {str(present), str(present - 1)} if present else set()
    past = [name for name in _generations() if name not in looked_at]
    for generation in past:
        for name in stored_names(f"{FOLDER}/{generation}/"):
            default_storage.delete(name)
        if isinstance(default_storage, FileSystemStorage):  # has folders, which deleting the files leaves
            shutil.rmtree(default_storage.path(f"{FOLDER}/{generation}"), ignore_errors=True)
    return len(past)


def forget_least_used_pages() -> int:
    """Make room where the images take more than they may; how many went."""
    return make_room_for_images(f"{FOLDER}/")
