"""A workbook that is uploaded becomes CSV files, one for each of its sheets: whoever asks of them opens no workbook."""

from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

from tools.asking import FOLDER, places
from tools.engines import running
from tools.engines.failures import EngineFailed, QueryTimeout, QueryTooLarge, SourceFailed
from tools.problems import FileUnusable, WorkbookTooLarge, problem_of_source

SIGNATURE = b"PK\x03\x04"
SECONDS = 20
MOST_CHARACTERS = 32 * 1024 * 1024  # of all sheets together
LONGEST_ESCAPE = 6  # characters of JSON that one character becomes at most


def sheets_of(organization: UUID, content: bytes) -> dict[str, bytes]:
    """By name, in their order. Raises FileUnusable, WorkbookTooLarge and Busy."""
    with places.taken(organization), TemporaryDirectory(prefix=FOLDER) as folder:
        place = Path(folder, "workbook")
        place.write_bytes(content)
        request = {
            "kind": "workbook", "asked": "tables", "files": [{"path": str(place)}],
            "seconds": SECONDS, "cpu": SECONDS,
            "most": {"characters": MOST_CHARACTERS}, "most_answered": LONGEST_ESCAPE * MOST_CHARACTERS,
        }  # fmt: skip
        try:
            found = running.ask_child(request)
        except (QueryTimeout, QueryTooLarge):
            raise WorkbookTooLarge from None
        except SourceFailed as error:
            if error.said != "unreadable_file":  # it was the child that failed, and not the file
                raise problem_of_source(error.said) from None
            raise FileUnusable from None
        except EngineFailed:
            raise FileUnusable from None
    return {one["name"]: one["csv"].encode(errors="replace") for one in found}
