"""Rules that every template and page keeps: no inline script or style, small files, complete translations."""

import gettext
import re
from pathlib import Path

import pytest
from django.utils.translation import gettext as translated
from django.utils.translation import override

from tests.cast import browser, make_cast
from tests.msgids import texts_of_code, texts_of_template

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
EVERY_TEMPLATE = [*TEMPLATES, *(ROOT / "templates").rglob("*.txt")]  # with those of mail and of notices
PAGES = ["/", "/corpora/", "/corpora/new/", "/agents/", "/conversations/", "/projects/", "/account/", "/members/"]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_template_is_short_and_has_nothing_inline(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert source.count("\n") <= 70
    assert not re.search(r"\sstyle=|\son[a-z]+=\"|<style|javascript:|hx-on", source)
    assert not re.search(r"<script(?![^>]*\ssrc=)", source)


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.django_db
def test_a_page_has_its_landmarks_and_loads_nothing_from_elsewhere(path: str) -> None:
    response = browser(make_cast().admin).get(path)
    page = response.content.decode()
    assert response.status_code == 200
    assert page.count("<h1") == 1
    assert page.count("<main") == 1
    assert '<a class="skip button" href="#main">' in page
    assert "noindex" in page
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", page)
    assert "default-src 'self'" in response["Content-Security-Policy"]


@pytest.mark.django_db
def test_every_field_has_a_label() -> None:
    client = browser(make_cast().admin)
    for path in PAGES:
        page = client.get(path).content.decode()
        labelled = set(re.findall(r'<label[^>]* for="([^"]+)"', page))
        fields = re.findall(r"<(?:input|select|textarea)\b[^>]*>", page)
        for field in fields:
            if 'type="hidden"' in field or "aria-label" in field:
                continue
            name = re.search(r'id="([^"]+)"', field)
            assert name, field
            assert name[1] in labelled, field


def test_every_string_is_translated_and_the_compiled_catalogue_is_current() -> None:
    folder = ROOT / "locale" / "es" / "LC_MESSAGES"
    entries = re.split(r"\n\n+", (folder / "django.po").read_text(encoding="utf-8"))[1:]
    untranslated = [entry for entry in entries if re.search(r'^msgstr(?:\[\d\])? ""(?!\n")', entry, re.MULTILINE)]
    assert not untranslated
    with (folder / "django.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    assert compiled.gettext("Skip to the content") == "Saltar al contenido"
    assert len({key if isinstance(key, str) else key[0] for key in compiled._catalog}) >= len(entries)  # type: ignore[attr-defined]


def test_every_string_of_the_code_and_of_the_templates_is_in_the_catalogue() -> None:
    """One that nobody has entered there is English on Spanish pages, and misses in no list of the untranslated."""
    own = [path for path in ROOT.glob("*/**/*.py") if not {".venv", "tests", "migrations"} & {*path.parts}]
    asked = {text for path in own for text in texts_of_code(path.read_text(encoding="utf-8"))}
    asked |= {text for path in EVERY_TEMPLATE for text in texts_of_template(path.read_text(encoding="utf-8"))}
    assert len(asked) > 1_500, "the search finds them"
    with (ROOT / "locale/es/LC_MESSAGES/django.mo").open("rb") as file:
        known = {key if isinstance(key, str) else key[0] for key in gettext.GNUTranslations(file)._catalog}  # type: ignore[attr-defined]
    with override("es"):  # a framework's own words are in its catalogue
        assert sorted(text for text in asked - known if translated(text) == text) == []


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/nothing/", "/corpora/00000000-0000-0000-0000-000000000000/"])
def test_what_is_not_there_is_a_page_that_leads_on(path: str) -> None:
    response = browser(make_cast().alice).get(path)
    assert response.status_code == 404
    assert "There is nothing here that you can see" in response.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path", ["/admin/", "/admin/corpora/corpus/add/", "/api/docs/", "/accounts/login/", "/healthz"]
)
def test_no_page_may_run_what_is_written_inline(path: str) -> None:
    response = browser(make_cast().admin).get(path)
    policy = dict(one.strip().partition(" ")[::2] for one in response["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'self'"
    assert "script-src" not in policy
    assert "unsafe" not in response["Content-Security-Policy"]
    page = response.content.decode()
    assert not re.search(r"<style|\son[a-z]+=\"", page)
    assert not re.search(r"<script(?![^>]*\s(?:src=|type=\"application/json\"))", page)


def test_the_admin_has_each_of_unfolds_colours() -> None:
    """Unfold writes its own into each page; ours are a file, which a newer unfold would leave behind."""
    from unfold.settings import CONFIG_DEFAULTS

    written = (ROOT / "static" / "acervo" / "admin" / "colours.css").read_text(encoding="utf-8")
    found = dict(re.findall(r"--color-([\w-]+): ([^;]+);", written))
    named = {
        f"{name}-{weight}": value
        for name, weights in CONFIG_DEFAULTS["COLORS"].items()
        for weight, value in weights.items()
    }
    assert found.keys() == named.keys()


def test_alpine_is_its_build_without_eval_wherever_static_files_are_found() -> None:
    from django.contrib.staticfiles import finders

    found = finders.find("unfold/js/alpine/alpine.js")
    assert found == str(ROOT / "static" / "unfold" / "js" / "alpine" / "alpine.js")
    source = Path(found).read_text(encoding="utf-8")
    assert "Function(" not in source.replace("isFunction(", "")
    assert "CSP Parser Error" in source
