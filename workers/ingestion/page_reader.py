"""Pages as they are printed, for the reader (`corpora.reader.page_source`): the original, in the sandbox."""

import logging

from django.utils.translation import gettext as _

from accounts.problems import Busy, NotFound
from corpora.models import Document
from corpora.reader.page_source import PageUnreadable
from corpora.reader.printed import PageRequest, PrintedPage
from corpora.uploads.originals import StorageUnavailable
from workers.ingestion.extract.failures import ExtractionError
from workers.ingestion.pipeline import OriginalMissing, StoreUnavailable, original_of
from workers.ingestion.sandbox.pool import SandboxUnavailable, show_in_sandbox

logger = logging.getLogger(__name__)


def read_page_of(document: Document, request: PageRequest) -> PrintedPage:
    """A `corpora.reader.page_source.PageReader`."""
    try:
        return show_in_sandbox(original_of(document), request)
    except ExtractionError as error:
        logger.info("page %d of document %s cannot be shown: %s", request.number, document.pk, error)
        raise PageUnreadable from error
    except OriginalMissing:
        raise NotFound from None
    except StoreUnavailable as error:
        raise StorageUnavailable(_("The file store does not answer now. Try again later.")) from error
    except (SandboxUnavailable, OSError) as error:  # the machine's: too many processes, no memory
        logger.warning("no page can be shown: %s", type(error).__name__)
        raise Busy from error
