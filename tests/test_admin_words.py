"""The admin's own sentences in Spanish suit the name of every model: none has an article or an ending for it.

Django's say "El fuente de datos". Ours, in our own catalogue, put the name behind a colon or a word of their own.
"""

import gettext
import re
from pathlib import Path
from typing import Any

import django.contrib.admin
import pytest
from django.urls import reverse
from django.utils.translation import gettext as translated
from django.utils.translation import ngettext, override

from tests.people import People, signed_in
from tests.shops import shop
from tools.models import DataSource

NAMES = ("name", "verbose_name", "verbose_name_plural", "object_name", "objects_name", "module_name", "model", "items")
NAME = rf"(?:%\((?:{'|'.join(NAMES)})\)s|\{{(?:{'|'.join(NAMES)})\}})"
ARTICLE = r"\b(?:el|la|los|las|al|del|un|una|unos|unas|otro|otra|este|esta)"
ENDING = r"\w+[aeií]d[oa]s?(?:/\w+)?\b"  # of what was done with it: "seleccionado/s"
OBJECT = r"(?: [“«\"']\S+[”»\"'])?(?: fue| fueron| fué)?"
GENDERED = re.compile(rf"{ARTICLE}\s*{NAME}|{ENDING}(?: %\(count\)d)? {NAME}|{NAME}{OBJECT} {ENDING}", re.IGNORECASE)
CATALOGUE = Path(django.contrib.admin.__file__).parent / "locale" / "es" / "LC_MESSAGES" / "django.mo"


def sentences() -> dict[str, str]:
    """Those of Django's admin that name a model, as Spanish pages have them; of plurals both."""
    with CATALOGUE.open("rb") as file:
        asked = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    found: dict[str, str] = {}
    with override("es"):
        for key in asked:
            said = key if isinstance(key, str) else key[0]
            if re.search(NAME, said):
                plural = said.replace("was changed", "were changed")
                found[said] = translated(said) + " / " + ngettext(said, plural, 2)
    return found


def test_no_sentence_has_an_article_or_an_ending_for_a_model() -> None:
    assert len(sentences()) > 15, "the search finds them"
    assert {said: told for said, told in sentences().items() if GENDERED.search(told)} == {}


@pytest.mark.parametrize(
    "said",
    [
        "El {name} “{obj}” fue agregado correctamente.",
        "El%(name)s “%(obj)s” fue eliminado con éxito.",
        "¿Quiere eliminar el %(objects_name)s seleccionado?",
        "Eliminar %(verbose_name_plural)s seleccionado/s",
        "Añadir otro %(model)s",
        "Agregado {name} “{object}”.",
    ],
)
def test_what_is_looked_for_is_found_in_djangos_own(said: str) -> None:
    assert GENDERED.search(said)


def told(answer: Any) -> list[str]:
    return [re.sub(r"<[^>]+>", "", str(one)) for one in answer.context["messages"]]


@pytest.mark.django_db
def test_what_was_done_is_told_of_every_model_in_one_way(people: People) -> None:
    ada = signed_in(people.ada)
    ada.defaults["HTTP_ACCEPT_LANGUAGE"] = "es"
    source = shop(people.ada.organization)
    table = source.tables.get(name="orders")
    forms = {"metrics-TOTAL_FORMS": "0", "metrics-INITIAL_FORMS": "0", "dimensions-TOTAL_FORMS": "0",
             "dimensions-INITIAL_FORMS": "0", "columns-TOTAL_FORMS": "0", "columns-INITIAL_FORMS": "0"}  # fmt: skip
    changed = ada.post(reverse("admin:tools_sourcetable_change", args=[table.pk]), forms, follow=True)
    assert told(changed) == ["Se cambió correctamente: tabla «orders»."]
    place = reverse("admin:tools_datasource_delete", args=[source.pk])
    assert "¿Quieres eliminar esto (fuente de datos «Shop»)?" in ada.get(place).content.decode()
    assert told(ada.post(place, {"post": "yes"}, follow=True)) == ["Se eliminó correctamente: fuente de datos «Shop»."]
    assert not DataSource.objects.exists()
