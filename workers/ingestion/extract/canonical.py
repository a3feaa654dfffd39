"""The canonical form of text: what every extractor passes its text through before offsets are taken."""

import re
import unicodedata

from retrieval.text.folding import with_few_marks

_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
# Control and format characters that no reader sees: NUL and C0/C1, soft hyphens, zero-width spaces, bidi
# overrides ("Trojan source"), interlinear marks, noncharacters, language tags (used to smuggle hidden
# instructions) and lone surrogates. ZWJ and ZWNJ stay: emoji and Persian need them.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_LIGATURE = re.compile("[ﬀ-ﬆ]")
_TRAILING = re.compile(r"(?<![ \t])[ \t]+(?=\n|\Z)")  # the lookbehind keeps long runs linear
_BLANK_LINES = re.compile(r"\n{3,}")


def clean(text: str) -> str:
    """Unify line ends, spaces and hyphens, drop what is invisible, expand ligatures, compose to NFC.

    Of hyphens: "end\u2011user", which must not break there, is found by "end-user", and one at a line's end is known.
    """
    if text.isascii() and "\r" not in text and not _INVISIBLE.search(text):
        return text.replace("\x0b", "\n").replace("\x0c", "\n")
    text = _LINE_ENDS.sub("\n", text)
    text = _INVISIBLE.sub("", _SPACES.sub(" ", text))
    text = text.replace("\u2010", "-").replace("\u2011", "-")
    text = _LIGATURE.sub(lambda match: _LIGATURES[match[0]], text)
    return unicodedata.normalize("NFC", with_few_marks(text))


def tidy_text(text: str) -> str:
    """`clean`, in tidy lines."""
    return tidy_lines(clean(text))


def tidy_lines(text: str) -> str:
    """Without spaces at line ends, runs of blank lines, or blank lines around the whole."""
    return _BLANK_LINES.sub("\n\n", _TRAILING.sub("", text)).strip("\n")


def one_line(text: str, limit: int = 500) -> str:
    """`text` cleaned, on one line, single spaces, at most `limit` characters: for titles."""
    return " ".join(clean(text).split())[:limit].rstrip()
