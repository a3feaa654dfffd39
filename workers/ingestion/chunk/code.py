"""Code by its language: where a long listing is best cut, between its classes and functions.

langchain-text-splitters knows where the constructs of some twenty languages begin. Without overlap and with nothing
stripped its pieces are exact slices of the listing, so that offsets stay exact; only their ends are taken, and what a
passage repeats stays ours (`chunking`). Long lines and plain text are still halved at words (`segments`): its
splitter goes on to single characters where a line has no other separator, and counts the tokens of each.
"""

from collections.abc import Callable
from functools import cache
from itertools import accumulate

SIZE = 400  # characters of a piece: a function or two
LONGEST = 200_000  # characters of a listing that is looked at
_NAMES = {
    "c": "c", "c#": "csharp", "c++": "cpp", "cpp": "cpp", "cs": "csharp", "csharp": "csharp",
    "elixir": "elixir", "go": "go", "golang": "go", "haskell": "haskell", "html": "html", "java": "java",
    "javascript": "js", "js": "js", "jsx": "js", "kotlin": "kotlin", "kt": "kotlin", "lua": "lua", "perl": "perl",
    "php": "php", "powershell": "powershell", "ps1": "powershell", "proto": "proto", "py": "python", "py3": "python",
    "python": "python", "python3": "python", "rb": "ruby", "rs": "rust", "ruby": "ruby", "rust": "rust",
    "scala": "scala", "solidity": "sol", "swift": "swift", "ts": "ts", "tsx": "ts", "typescript": "ts",
}  # fmt: skip


def code_ends(listing: str, language: str) -> frozenset[int]:
    """The offsets after which a construct begins, white space before it counted to what is above; none of a language
    that is not known, or of a listing of one piece."""
    known = _NAMES.get(language.casefold(), "")
    if not known or not SIZE < len(listing) <= LONGEST:
        return frozenset()
    ends = accumulate(map(len, pieces_of(known)(listing)))
    return frozenset(_before_word(listing, end) for end in ends if end < len(listing))


def _before_word(listing: str, place: int) -> int:
    while place < len(listing) and listing[place].isspace():
        place += 1
    return place


@cache
def pieces_of(language: str) -> Callable[[str], list[str]]:
    """What cuts a listing to exact pieces: joined they are the listing again."""
    from langchain_text_splitters.base import Language
    from langchain_text_splitters.character import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter.from_language(
        Language(language), chunk_size=SIZE, chunk_overlap=0, keep_separator="start", strip_whitespace=False
    )
    return splitter.split_text


def warm_up() -> None:
    """Load the library: the sandbox's child cannot open files later."""
    pieces_of("python")
