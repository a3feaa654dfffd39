"""What a browser fetches of ours beside htmx: styles, scripts and fonts, compressed as production sends them."""

import gzip
from pathlib import Path

STATIC = Path(__file__).resolve().parent.parent / "static" / "acervo"
OWN_KB, FONTS_KB = 70, 60


def test_all_styles_and_scripts_of_ours_together_are_small() -> None:
    files = [*STATIC.rglob("*.css"), *STATIC.rglob("*.js")]
    assert len(files) > 20
    sent = sum(len(gzip.compress(path.read_bytes(), mtime=0)) for path in files)
    assert sent <= OWN_KB * 1024, f"{sent / 1024:.0f} KB"


def test_both_fonts_together_are_small() -> None:
    fonts = list(STATIC.rglob("*.woff2"))
    assert len(fonts) == 2
    assert sum(path.stat().st_size for path in fonts) <= FONTS_KB * 1024
