"""Plain text: find its encoding, refuse binaries."""

import codecs
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate

from corpora.uploads.signatures import utf16_without_bom
from workers.ingestion.extract.canonical import one_line, tidy_text
from workers.ingestion.extract.extracted import Extracted, HeadingSpan, furniture_of
from workers.ingestion.extract.failures import ExtractionError
from workers.ingestion.extract.outline.contents import contents_lines
from workers.ingestion.extract.outline.faq import QUESTION_RANK, question_lines, question_title
from workers.ingestion.extract.outline.levels import FoundHeading, levels_of
from workers.ingestion.extract.outline.numbered import LONGEST_TITLE, numbered_lines, run_in_articles
from workers.ingestion.extract.outline.typed.marked import boxes, typed_lines
from workers.ingestion.extract.outline.typed.set_apart import set_apart_lines
from workers.ingestion.extract.outline.typed.underlined import is_rule, underlined_lines
from workers.ingestion.extract.titles import title_of_first_lines

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with UTF-16's
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# What Western European text holds beyond ASCII; anything else makes Windows-1252 doubtful.
_WESTERN = frozenset("áéíóúüñçàèìòùâêîôûäëïöÿãõåæøœßÁÉÍÓÚÜÑÇÀÈÌÒÙÂÊÎÔÛÄËÏÖÃÕÅÆØŒ¿¡«»ºª°·“”‘’–—…•€£§©®²³½×\xa0\xad")
_WESTERN_SHARE = 0.9
_LONG_NON_ASCII_RUN = re.compile(r"[^\x00-\x7f\xa0]{4,}")
_OTHER_ENCODINGS = (
    *("cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp437", "cp850"),
    *("iso8859_2", "iso8859_5", "iso8859_7", "iso8859_15", "koi8_r"),
    *("big5", "cp932", "euc_jp", "euc_kr", "gb18030", "shift_jis"),
)
_SAMPLE = 64 * 1024


def extract_text(content: bytes) -> Extracted:
    """Plain text in any common encoding. Raises ExtractionError: unsupported_encoding, empty_document."""
    text = tidy_text(decode_text(content))
    if not text:
        raise ExtractionError("empty_document", cause="only white space")
    lines = text.split("\n")
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    typed, underlined = typed_lines(lines), underlined_lines(lines)
    told = {**{number: level for number, (level, _) in typed.items()}, **underlined}
    beside = {number + step for number in underlined for step in (-1, 1)}
    ruled = {number for number in beside if number >= 0 and is_rule(lines[number])} | {*boxes(lines, typed)}
    rules = [(starts[number], starts[number] + len(lines[number])) for number in ruled - told.keys()]
    contents = contents_lines([lines])[0] - told.keys()
    listed = [(starts[number], starts[number] + len(lines[number])) for number in contents if lines[number]]
    headings = tuple(
        _heading_spans(lines, starts, told, contents, {number: title for number, (_, title) in typed.items()})
    )
    furniture = furniture_of(sorted({*rules, *listed}), len(text))
    return Extracted(text, headings=headings, title=title_of_first_lines(text), furniture=furniture)


def _heading_spans(
    lines: Sequence[str],
    starts: Sequence[int],
    told: Mapping[int, int],
    contents: Collection[int],
    titles: Mapping[int, str],
) -> Iterator[HeadingSpan]:
    """The headings of a text that are underlined or typed as such (`told`: their levels, `titles`: what the latter say
    without their signs) or that their numbers tell, and the questions that it answers; none in its `contents`."""
    is_text = [number not in contents for number in range(len(lines))]
    apart = set_apart_lines(["" if number in contents else line for number, line in enumerate(lines)])
    places = apart | numbered_lines(lines, is_text, [number in told for number in range(len(lines))])
    others = {*places, *told, *contents}
    run_in = run_in_articles(
        lines, {index: one for index, one in places.items() if index not in told}, are_wrapped=True
    )
    asked = question_lines(["" if number in others else line for number, line in enumerate(lines)])
    ranks = {
        **dict.fromkeys(told, 0),
        **dict.fromkeys(asked, QUESTION_RANK),
        **{index: place.rank for index, place in places.items()},
    }
    levels = levels_of([FoundHeading(told.get(index, 0), ranks[index]) for index in sorted(ranks)])
    for index, level in zip(sorted(ranks), levels, strict=True):
        line, place = lines[index], places.get(index)
        has_text = index in run_in or (index not in told and len(line) > LONGEST_TITLE)
        end = place.end if place and has_text else len(line)
        title = titles.get(index) or (line[:end] if place or index in told else question_title(line))
        yield HeadingSpan(level, one_line(title), starts[index], starts[index] + end)


def decode_text(content: bytes) -> str:
    """Bytes to text: byte order mark, UTF-8, UTF-16, Windows-1252, then statistics (charset-normalizer)."""
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            return _strictly(content[len(mark) :], encoding)
    if b"\0" in content:
        encoding = utf16_without_bom(content[:_SAMPLE])
        if not encoding:
            raise ExtractionError("unsupported_encoding", cause="NUL bytes: not a text")
        return _strictly(content, encoding)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return _decode_legacy(content)


def _strictly(content: bytes, encoding: str) -> str:
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        raise ExtractionError("unsupported_encoding", cause=f"not valid {encoding}") from error
    if "\0" in text:
        raise ExtractionError("unsupported_encoding", cause=f"NUL characters in {encoding}")
    return text


def _decode_legacy(content: bytes) -> str:
    western = content.decode("cp1252", errors="replace")
    if _looks_western(western):
        return western
    from charset_normalizer import from_bytes

    # Its detector is slow (about 1 MB/s): a sample decides for the whole.
    best = from_bytes(content[:_SAMPLE], cp_isolation=list(_OTHER_ENCODINGS)).best()
    if best is None:
        raise ExtractionError("unsupported_encoding", cause="no known encoding fits")
    return content.decode(best.encoding, errors="replace")


def _looks_western(text: str) -> bool:
    foreign = [character for character in text[:_SAMPLE] if character > "\x7f"] or [
        character for character in text if character > "\x7f"
    ]
    if sum(character in _WESTERN for character in foreign) < _WESTERN_SHARE * len(foreign):
        return False
    return not _LONG_NON_ASCII_RUN.search(text[:_SAMPLE])


def warm_up() -> None:
    """Load the codecs and the detector."""
    import charset_normalizer

    for encoding in (*_OTHER_ENCODINGS, "cp1252", "latin_1", *(name for _, name in _BOMS)):
        codecs.lookup(encoding)
    sample = "Привет, мир. Это текст.".encode("cp1251")
    charset_normalizer.from_bytes(sample, cp_isolation=list(_OTHER_ENCODINGS)).best()
