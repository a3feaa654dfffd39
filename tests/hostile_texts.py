"""Texts that make expressions and renderers stumble, and everything of the product that meets a stranger's text.

`PROBES` name what each of them puts to the test, as `module:NAME`; `OURS` names the expressions that meet no stranger's
text, and why. Together they are all (tests/test_linear.py).
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

from accounts.http.bodies import MOST, is_kept, json_of
from accounts.identity.oauth import registration
from accounts.matching import folded
from accounts.pages.programs import CHALLENGE
from agents.llm.base import ModelMessage, Passage, ToolWish
from agents.llm.extractive import answer
from agents.llm.quoting.asked_for.deeds import DEEDS, asked_deed, tells_deed
from agents.llm.quoting.asked_for.happened import HAPPENINGS, asked_happening, tells_happening
from agents.llm.quoting.asked_for.kinds import announces, enumerates, says_what_it_is_for
from agents.llm.quoting.asked_for.lasting import has_duration, is_lasting_word, is_period, tells_a_duration
from agents.llm.quoting.asked_for.offices import (
    asked_office,
    asks_name,
    holds_office,
    is_signed,
    names_holder,
    says_who_is,
    signed_lines,
)
from agents.llm.quoting.asked_for.properties import asked_label
from agents.llm.quoting.asked_for.roles import AskedRole, asks_to_whom, leaves_out_who, names_its_people
from agents.llm.quoting.asked_for.subject import (
    asked_amounts,
    asked_years,
    is_other_end,
    says_year,
    stands_within,
    subjects_of,
)
from agents.llm.quoting.asked_for.thing import asked_thing
from agents.llm.quoting.quotable import title_shown
from agents.llm.tooling.wishes import _NO_NAME
from agents.models import Agent
from chat.answering import condensing
from chat.answering.calling import making
from chat.answering.calling.toolkit import NamedSource
from chat.api.mcp.resources import ADDRESS
from chat.citing import tables
from chat.citing.analyses import ways_said
from chat.citing.claims import claims_in
from chat.citing.matching import Read, supporting_span
from chat.citing.translated import span_with_figures
from chat.models import AnswerTable
from chat.prompting.build import build_prompt
from chat.rendering.citations import cited_numbers, without_citations
from chat.rendering.code_spans import code_spans
from chat.rendering.markdown import BlockRenderer, render
from chat.stream.thinking import ThinkFilter
from chat.understanding.courtesies import LONGEST as LONGEST_COURTESY
from chat.understanding.courtesies import is_courtesy
from chat.understanding.replacing import with_other_term
from chat.understanding.topics import carry_topic
from config.faults import LineFormatter
from config.incoming.heads import is_plain
from corpora.metadata.date_ranges import parse_range
from corpora.metadata.units import leading_number
from corpora.reader import reading
from corpora.reader.markdown_blocks import markdown_blocks
from corpora.rows.reading_order import sortable
from corpora.templatetags.documents import without_marks
from corpora.uploads import archives
from corpora.uploads.inputs import MetadataSerializer
from corpora.uploads.signatures import safe_filename
from foreign.admin.forms import HEADER as CREDENTIAL_HEADER
from foreign.conversing import SESSION_ID
from foreign.definitions import ARGUMENT_NAME, BLANK, TOOL_NAME, offered_names, read_tool
from foreign.models import ForeignTool, ToolServer
from retrieval.confidence.caps import cap_of_first, speaks_of
from retrieval.confidence.coverage import coverages, weigh_question
from retrieval.confidence.evidence import Shown, evidence_of
from retrieval.confidence.inflection import places_of, roots_of
from retrieval.confidence.kinds import (
    asks_price,
    has_price,
    is_seen_in,
    lacks_what_is_seen,
    names_price,
    tells_amount_of_money,
    tells_price,
)
from retrieval.confidence.quantities import asked_quantity
from retrieval.context.compression import compress
from retrieval.context.snippets import snippet
from retrieval.embeddings.lexical import embed
from retrieval.index import IndexOutdated
from retrieval.index.base import Candidates
from retrieval.index.pgvector.version import DatabaseVersions, require_pgvector
from retrieval.index.server import snapshots
from retrieval.index.server.layout import layout_of
from retrieval.index.server.version import require_version
from retrieval.places.about import asks_what_about, is_summary, says_this_document
from retrieval.places.lines import is_said, lines_of, place_heading
from retrieval.places.source import without_source
from retrieval.places.standing import part_mark
from retrieval.ranking.expansion import phrasings
from retrieval.tests.exact import chunk_of
from retrieval.text.asked_headings import asked_headings
from retrieval.text.asked_names import asked_mentions
from retrieval.text.asked_places import asked_places
from retrieval.text.definitions import defined_thing, definition_of
from retrieval.text.document_names import names_of
from retrieval.text.folding import fold, fold_latin, words_only
from retrieval.text.language import detect
from retrieval.text.lines.columns import with_rows
from retrieval.text.lines.fields import fields_in, label_of
from retrieval.text.lines.sentences import sentences, statements
from retrieval.text.naming.editions import asked_editions, edition_names
from retrieval.text.references import heading_key, heading_words, provision_key
from retrieval.text.stems import stems, words
from retrieval.text.terms import exact_terms
from sign_on.pages.posting import STATE
from sign_on.problems import SignOnRefused
from sign_on.saml.assertions import INSTANT
from sign_on.saml.certificates import BLOCK
from sign_on.saml.markup import NO_MESSAGE, NO_METADATA, metadata, saml_message
from tools.analytics import rules
from tools.analytics.written import MOST_CHARACTERS, read_yaml
from tools.api.serializers import BUCKET, HOST
from tools.engines import bucket, grants, hubspot, rest, salesforce
from tools.engines.failures import QueryFailed
from tools.files.keeping import TABLE_NAME, table_named
from tools.services import described
from tools.services.plain import YamlRefused
from tools.sql.binding import NO_TEXT
from tools.sql.gate import RUN_COMMENT, WORD
from tools.sql.statements import ReadableColumn, ReadableTable
from webhooks.sending import STATUS_LINE, as_line
from workers.ingestion.chunk.segments import segment_text
from workers.ingestion.chunk.tokens import estimate_tokens
from workers.ingestion.extract import docx, pdf, pdf_headings, plain
from workers.ingestion.extract.canonical import one_line, tidy_text
from workers.ingestion.extract.extracted import Extracted
from workers.ingestion.extract.failures import ExtractionError
from workers.ingestion.extract.markdown import extract_markdown
from workers.ingestion.extract.markup.code import code_in
from workers.ingestion.extract.markup.front_matter import read_front_matter
from workers.ingestion.extract.markup.html import without_tags
from workers.ingestion.extract.markup.html_tags import Tag
from workers.ingestion.extract.outline.captions import captions_of
from workers.ingestion.extract.outline.contents import contents_lines, is_contents_title
from workers.ingestion.extract.outline.faq import question_lines, question_title
from workers.ingestion.extract.outline.fonts import PrintedLine, headings_by_print, title_in_print
from workers.ingestion.extract.outline.margins import running_lines
from workers.ingestion.extract.outline.places import numbered_place
from workers.ingestion.extract.pdf_running_lines import drop_running_lines
from workers.ingestion.extract.pdf_text import assemble
from workers.ingestion.extract.tables import printed
from workers.ingestion.extract.tables.rows import are_clauses, is_data
from workers.ingestion.extract.titles import title_of_file, title_of_norm
from workers.ingestion.pictures.embedded import spots_in, without_carried
from workers.ingestion.sandbox import wire

Text = Callable[[int], str]

REPEATED = (
    *"`[](){}<>*_~#|.,:;-=!?\"'/\\&@§+% \t\n\r1aá¿«",
    *(
        "\n ",
        "\n\n",
        "\n*",
        "\n#",
        "\n#\n",
        " \n",
        "* ",
        "- ",
        "> ",
        "# ",
        ". ",
        ".\n",
        '."',
        "-\n",
        "\n- a",
        "\n  - a",
    ),
    *(
        "[1",
        "[1]",
        "[1,",
        "[1-9]",
        " [",
        "[a](",
        "[a](b)",
        "![",
        "](",
        "[[",
        "<a",
        "</",
        "<source",
        "</think>",
        "<think>",
    ),
    *(
        "`a",
        "``a",
        "a`",
        "**a ",
        "a**b",
        "*a _b ",
        "~~a ",
        "*[a](b)",
        "```\n",
        "~~~\n",
        "a|b\n-|-\n",
        "|\n",
        "|a",
        "&a",
    ),
    *(
        "1.",
        "1.1",
        "a.",
        "A.",
        "a_",
        "aB",
        "a-",
        "/a",
        "-/",
        "--a",
        "http://",
        "a ",
        "A. ",
        "a\n",
        "Ab. ",
        "pag.",
        "p.",
        "of ",
    ),
    *(
        "art. ",
        "§ ",
        "n. ",
        "\u0301\u0323",
        "\u200b",
        "\u00ad",
        "\u3000",
        "ﬁ",
        "漢",
        "😀",
        "a\u0301",
        "key: ",
        "tags: [",
        "- a\n",
    ),
)
SHAPES: dict[str, Text] = {repr(part)[1:-1]: lambda n, part=part: part * (n // len(part)) for part in REPEATED}
SHAPES |= {f"{name} and a letter": lambda n, make=make: f"{make(n)}x" for name, make in [*SHAPES.items()]}
SHAPES |= {
    "half ticks": lambda n: "x" + "`" * (n // 2) + "a" * (n // 2),
    "runs of ticks": lambda n: " ".join("`" * length for length in range(1, int((2 * n) ** 0.5))),
    "digits in brackets": lambda n: f"Una frase entera de siete palabras [{'1' * n}x",
    "spaces before a mark": lambda n: f"a{' ' * n}[",
    "quotes behind a stop": lambda n: f".{'”' * n}x",
    "spaces behind a number": lambda n: f"[1{' ' * n}x",
    "a wide table": lambda n: "|a" * 400 + "|\n" + "|-" * 400 + "|\n" + "|\n" * (n // 2),
    "deep lists": lambda n: "".join("  " * (depth % 40) + "- a\n" for depth in range(n // 44)),
    "headings of marks": lambda n: "".join(f"# {'*a ' * 130}\n" for _ in range(n // 400)),
    "headings of brackets": lambda n: "".join(f"# {'[' * 400}\n" for _ in range(n // 400)),
    "underlined": lambda n: "a\n=\n" * (n // 4),
    "front matter": lambda n: f"---\n{'a: b' * (n // 4)}\n---\nx",
    "unclosed front matter": lambda n: "---\n" + f"\n---{' ' * 50}x" * (n // 55),
    "sentences": lambda n: "Una frase entera de siete palabras aquí. " * (n // 41),
    "different words": lambda n: " ".join(f"p{number}" for number in range(n // 6)),
}

QUESTION = 'Qué dice el artículo 14.2 de "la a la b" sobre el error 503 de ISO-9001, /v1/models y 2.5.1'
ROWS = "\n\n| Caso | Plazo |\n|---|---|\n| Uno | un mes |\n| Dos | dos meses |\n"
TERMS = exact_terms(QUESTION)
DEFINITIONS = [definition_of(("a",)), definition_of(defined_thing("¿Qué es el consentimiento informado?"))]
ASKED = asked_places("art. 8.2, anexo II, V2.1.1, R-12")
PLACES = [place_heading(place) for place in ASKED]
WANTED = weigh_question(QUESTION, ["a b"], TERMS)
AGENT = Agent(model="openai:a")


@dataclass(frozen=True)
class Probe:
    """`size`: characters of the shorter text; what builds trees is shown with less."""

    meet: Callable[[str], Any]
    expressions: tuple[str, ...] = ()
    size: int = 4_000


def terms_of_a_question(text: str) -> Any:
    """Also those that a text cannot have are looked for."""
    folded = fold_latin(text)
    return exact_terms(text), [term.pattern.search(folded) for term in TERMS]


ASKING_KINDS = (
    "¿Qué es una frase?", "¿Cuántos aes hay?", "¿Cuánto dura la frase?", "¿Cuánto cuesta una frase?",
    "¿Qué porcentaje de frases hay?", "¿Qué horario tiene la frase?", "¿Qué teléfono tiene la frase?",
    "¿En qué año fue la frase?", "¿Cuándo fue la frase «aa»?", "What is 12/3 of 4.0.3?", "¿De qué color es la frase?",
    "What is the e-mail address of aes?", "¿Cuál es la página web de aes?", "¿Hasta qué edad es la frase?",
    "¿Cuándo es la frase?", "What is the maximum of aes?",
)  # fmt: skip


def standing_of(text: str) -> None:
    """As a question, and as the passage that is held against a question of each kind."""
    evidence_of(text, [Shown("Una frase aquí.", "Un título")], Candidates(), 0.5)
    cap_of_first(text, "Una frase aquí.", "Un título")
    speaks_of(text, ["Una frase aquí."])
    speaks_of("una frase", [text])
    for question in ASKING_KINDS:
        cap_of_first(question, text, text[:200])
        evidence_of(question, [Shown(text, text[:200])], Candidates(), 0.5)


def read_in_the_reader(text: str) -> None:
    headings = [(1, "a", place, place + 1) for place in range(0, len(text), 2_000)]
    for pages in ((), ((1, 0, len(text)),)):
        for section in reading.sections(text, pages, headings):
            for block in reading.blocks(text, section, headings, (len(text) // 2, len(text) // 2 + 100)):
                for piece in block.pieces:
                    reading.split_emphasis(piece)
            markdown_blocks(text, section, headings, (len(text) // 2, len(text) // 2 + 100))


def rendered_while_it_arrives(text: str) -> None:
    renderer = BlockRenderer(range(1, 10))
    for start in range(0, len(text), 20):
        renderer.feed(text[start : start + 20])
    renderer.finish()


def refused_or(meet: Callable[[], Any], *expected: type[Exception]) -> None:
    with suppress(*expected):
        meet()


def a_history_of(text: str) -> tuple[ModelMessage, ...]:
    return tuple(ModelMessage(role, text) for role in ("user", "assistant") * 3)


def asked_to_a_model(text: str) -> None:
    build_prompt(
        system_prompt="", global_passages=[Passage(1, text, text)], history=a_history_of(text), question="¿Qué?"
    )
    condensing.rewriting_request_for(AGENT, a_history_of(text), "¿Qué?")


def pages_of_a_pdf(text: str) -> list[list[str]]:
    return [[text, f"{text[:200]} {number}", *text.split("\n")[:50]] for number in range(5)]


def kept_in_json(text: str) -> None:
    refused_or(lambda: json_of(text.encode()), Exception)
    refused_or(lambda: json_of(b"[" * (MOST + 1) + text.encode()), Exception)  # whose texts are looked at
    is_kept(text)


MARKUP = "workers.ingestion.extract.markup"
MARKDOWN = "workers.ingestion.extract.markdown"
PDF = "workers.ingestion.extract.pdf"
OUTLINE = "workers.ingestion.extract.outline"
TABLES = "workers.ingestion.extract.tables"
CANONICAL = "workers.ingestion.extract.canonical"
RENDERING = "chat.rendering"


SHOP = uuid4()
CUSTOMERS = ReadableTable("customers", (ReadableColumn("id"),))
TOOLKIT: Any = SimpleNamespace(sources={str(SHOP): NamedSource("Shop", (CUSTOMERS,), "postgres")})
WISH = ToolWish("call", "query", '{"source": "Shop"}')


def refused_or_read(text: str) -> None:
    with suppress(YamlRefused):
        read_yaml(text[:MOST_CHARACTERS])


def named(module: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{module}:{name}" for name in names)


def log_line(text: str) -> None:
    LineFormatter().format(logging.LogRecord("django.request", logging.WARNING, "", 1, "%s", (text,), None))


PROBES: dict[str, Probe] = {
    "content type": Probe(lambda text: is_plain(text.encode()), named("config.incoming.heads", "TYPE", "CHARSET")),
    "line of a log": Probe(log_line, named("config.faults", "LIVE_LINK")),
    "citations": Probe(
        lambda text: (without_citations(text), cited_numbers(text, range(1, 10))),
        named(f"{RENDERING}.citations", "CITATION", "_WITH_SPACE_BEFORE", "RANGE"),
    ),
    "claims": Probe(
        lambda text: claims_in(text + " [1]", {1}), named("chat.citing.claims", "_LINE_START", "_WORD", "_QUOTATION")
    ),
    "support": Probe(
        lambda text: (
            supporting_span(text, Read("Una frase entera aquí. " * 50)),
            supporting_span(QUESTION, Read(text)),
            span_with_figures("En 2019 fueron 2.500 millones", Read(text)),
            span_with_figures(text[:1_000], Read("In 2019 it was 2.5 billion. " * 50)),
        ),
        named("chat.citing.matching", "_NAME", "_MARKUP", "_LINKED_TO", "_MARK", "_QUOTED", "_ELISION")
        + named("chat.citing.saying", "_NOT", "_NUMBER", "_OF_TWO", "_THOUSANDS")
        + named("chat.citing.translated", "_MARK_OF_ITEM"),
    ),
    "search boxes": Probe(folded, named("accounts.matching", "_ACCENTED")),
    "definitions": Probe(
        lambda text: (
            defined_thing(f"¿Qué es {text[:100]}?"),
            *(one.search(fold_latin(text)) for one in DEFINITIONS),
        ),
        named("retrieval.text.definitions", "_ASKED", "_WORD", "definition_of"),
    ),
    "statements": Probe(statements, named("retrieval.text.lines.sentences", "_OWN_LINE", "_LINE")),
    "code": Probe(lambda text: [*code_spans(text)], named(f"{RENDERING}.code_spans", "_FENCE", "_RUN_OR_BREAK")),
    "markdown": Probe(
        lambda text: render(text, range(1, 10)),
        named(f"{RENDERING}.markdown", "CLASS", "HREF", "SPAN") + named(f"{RENDERING}.markdown_rules", "HOST"),
        size=1_000,
    ),
    "markdown in pieces": Probe(
        rendered_while_it_arrives, named(f"{RENDERING}.markdown", "FENCE", "CONTINUING", "STICKY"), size=1_000
    ),
    "prompt": Probe(asked_to_a_model, named("chat.prompting.build", "_DELIMITER")),
    "thoughts": Probe(lambda text: ThinkFilter().feed(text), named("chat.stream.thinking", "TAG")),
    "body": Probe(kept_in_json, named("accounts.http.bodies", "_UNKEPT")),
    "extractive answer": Probe(
        lambda text: (answer(QUESTION, [Passage(1, text, "t")], "es"), enumerates(text), announces(text)),
        named("agents.llm.quoting.asked_for.kinds", "_ENUMERATION", "_ANNOUNCES")
        + named("agents.llm.quoting.features", "_GLOSSARY")
        + named("agents.llm.quoting.writing", "_LEANS", "_TASK")
        + named("agents.llm.quoting.defining", "_VERB", "_DOES", "_CONDITION", "_OUTRIGHT")
        + named(
            "agents.llm.quoting.defining",
            "_DENIED",
            "_BOUND",
            "_NAMED",
            "_QUANTIFIERS",
            "_INTRODUCED",
            "_REVERSED",
            "_DEFINED",
            "_ENTRY",
            "_DESCRIBES",
            "_TELLS",
        )
        + named("agents.llm.quoting.asked_for.kinds", "_TIME", "_NUMBER", "_NAME", "_REASON", "_FIGURE")
        + named(
            "agents.llm.quoting.laid.layout",
            *("_FENCE", "_HEADING", "_RULE", "_ITEM", "_REFERENCE", "_CAPITALS", "_NUMBERS", "_FURNITURE"),
            *("_HYPHENATED", "_NUMBERED_TITLE", "_SPEECH", "_NUMBERED", "_BAR"),
        )
        + named("agents.llm.quoting.composing", "_LEVELS", "_NUMBER")
        + named(
            "agents.llm.quoting.quotable",
            *("_ITEM", "_PAGE_NUMBER", "_WORD", "_LETTERS", "_LINK", "_MARKS", "_EMPHASIS", "_CODE", "_BRACKETED"),
            *("_DEFINITIONS", "_TERM", "_MEANS", "_VALUE", "_LOST", "_FIGURES", "_DATED"),
        ),
    ),
    "extractive question": Probe(
        lambda text: (
            answer(text, [Passage(1, "Una frase entera de siete palabras aquí. " * 20, "t")], "es"),
            says_what_it_is_for("¿Para qué se usa?", text),
            asked_deed(text),
            [tells_deed(one, text) for one in DEEDS],
        ),
        named("agents.llm.quoting.asked_for.kinds", "_ASKED", "_LISTS", "_DIFFERS", "_COUNTED", "_DEFINED", "_PAIR")
        + named("agents.llm.quoting.asked_for.kinds", "_FOR_WHAT", "_PURPOSE")
        + named("agents.llm.quoting.asked_for.kinds", "_KINDS_LISTED", "_ASKS_WHAT", "_CLAUSE")
        + named("agents.llm.quoting.defining", "_ASKS_PART")
        + named("agents.llm.quoting.asked_for.deeds", "_deed", "asked")
        + named("agents.llm.quoting.asked_for.subject", "_MEASURES", "_IDENTIFIER", "_OPTION", "_ENCLOSED", "_YEAR")
        + named("agents.llm.quoting.asked_for.subject", "_FIRST_ASKED"),
    ),
    "a number in a row's range": Probe(
        lambda text: (
            stands_within(asked_amounts("after 6 years"), text),
            stands_within(asked_amounts(text), "De 500 a 1.999 km | Menos de 2 años | Más de 3 days"),
            subjects_of(f"¿A qué hora abre la {text}"),
            answer("¿Puedo ir?", [Passage(1, f"{text} Se puede ir a otra ciudad.", "t")], "es"),
        ),
        named(
            "agents.llm.quoting.asked_for.subject", "_COUNTED", "_FROM_TO", "_UNDER", "_OVER", "_THOUSANDS", "_number"
        )
        + named("agents.llm.quoting.selecting", "_YES_OR_NO"),
    ),
    "an option's item, what something means, and a price": Probe(
        lambda text: (
            answer("¿Qué hace --force?", [Passage(1, text, "t")], "es"),
            answer(f"What does {text} mean?", [Passage(1, f"## So?\n\nIt means {text}.{ROWS}", "t")], "en"),
            asks_price(f"How much does {text}"),
            has_price(text),
            tells_price("12", text),
            names_price(text),
            lacks_what_is_seen(text, text),
            tells_amount_of_money(f"fee {text}"),
        ),
        named("agents.llm.quoting.defining", "_LISTED", "_MEANT", "_ASKS_MEANING", "_CODE", "_CODES")
        + named(
            "retrieval.confidence.kinds",
            "_ASKS_PRICE",
            "_CURRENCIES",
            "_PRICES",
            "_NAMES_PRICE",
            "_FIGURE",
            "_ASKS_HOUR",
            "_FREE_OR_SMALL",
        ),
    ),
    "a weight, a temperature, a speed, a power": Probe(
        lambda text: (
            asked_quantity(f"How much does {text}"),
            *(
                quantity.is_told_by(text, text) or [*quantity.amounts.finditer(f"peso | temperatura {text}")]
                for asked in ("¿Cuánto pesa?", "¿A qué temperatura?", "¿Qué velocidad?", "¿Cuánto consume?")
                if (quantity := asked_quantity(asked))
            ),
        ),
        named("retrieval.confidence.quantities", "_quantity"),
    ),
    "who has a role": Probe(
        lambda text: (
            AskedRole(f"¿Quién edita {text}").is_named_in(text, frozenset()),
            names_its_people(text),
            asked_office(text),
            asked_office(f"Who is the {text}"),
            says_who_is(text),
            holds_office("director general", text),
            is_signed(text),
            is_signed(text[:200]),
            names_holder("tesorero", text),
            asks_name(text),
            signed_lines([text[:80], text[80:160]]),
            leaves_out_who(text),
        ),
        named("agents.llm.quoting.asked_for.roles", "_ROLES", "_LINE", "_PASSIVE", "_BY", "_TO_WHOM")
        + named("agents.llm.quoting.asked_for.offices", "_ASKS", "_ANYBODY", "_IS", "_OFFICES", "_NAME", "_SIGNED")
        + named(
            "agents.llm.quoting.asked_for.offices",
            "_SAME",
            "_ASKS_NAME",
            "_BEFORE_AN_OFFICE",
            "_BEHIND_AN_OFFICE",
            "_RANKS",
        ),
    ),
    "fields, columns and what they are of": Probe(
        lambda text: (
            fields_in(text.splitlines() or [""]),
            fields_in([text[:300], text]),
            label_of(text),
            list(with_rows(text.splitlines())),
            list(with_rows([f"a   b{text}", f"c   1{text}", f"d   2{text}"])),
            asked_thing(text).is_told_by(text, text, text),
            asked_thing(f"What is the width of {text}").is_told_by(text, text, text),
            asked_thing("When did Ada Gil die?").is_told_by(f"{text} died", "", "Ada Gil"),
            says_year("1999", text),
            asks_to_whom(text),
            is_seen_in("phone", text),
            asked_happening(f"When did {text}"),
            [tells_happening(one, text) for one in HAPPENINGS],
            asked_label(f"What voltage do {text}"),
            asked_years(f"in 2021 {text}"),
            is_other_end("maximum", text),
        ),
        named("retrieval.text.lines.fields", "_FIELD")
        + named("retrieval.text.lines.columns", "_CELL", "_NO_ROW", "_RULE")
        + named("agents.llm.quoting.asked_for.happened", "_happening", "asked")
        + named("agents.llm.quoting.asked_for.properties", "_PROPERTIES", "_HAD")
        + named("agents.llm.quoting.asked_for.thing", "_NAME", "_pattern", "_OTHERS_NAME", "_PIECE")
        + named("agents.llm.quoting.asked_for.subject", "_DECADE", "_ENDS", "_YEARS", "_OTHER_END"),
    ),
    "what something is about": Probe(
        lambda text: (asks_what_about(f"what is {text}"), says_this_document(text), is_summary(text)),
        named("retrieval.places.about", "_ABOUT", "_THIS", "_SUMMARY"),
    ),
    "how long something lasts": Probe(
        lambda text: (
            is_lasting_word(text),
            is_period(text),
            tells_a_duration(text),
            has_duration(fold_latin(text), ()),
        ),
        named(
            "agents.llm.quoting.asked_for.lasting",
            "_SPAN",
            "_LASTING",
            "_SAYS",
            "_TOLD",
            "_ONLY_LASTS",
            "_PERIOD",
            "_FINES",
        )
        + named("agents.llm.quoting.asked_for.lasting", "_PRICES"),
    ),
    "a title in an answer": Probe(title_shown, named("agents.llm.quoting.quotable", "_MARKDOWN", "_BEGINS_A_LIST")),
    "what announces a table": Probe(
        lambda text: answer("¿Cuáles son los casos?", [Passage(1, f"Los casos {text} siguientes.{ROWS}", "t")], "es"),
        named("agents.llm.quoting.announcing", "_TO_COME", "_FOLLOWS", "_TABLE", "_CAPTION"),
    ),
    "dates": Probe(
        lambda text: refused_or(lambda: parse_range(text), ValueError), named("corpora.metadata.date_ranges", "_DAY")
    ),
    "reader": Probe(
        read_in_the_reader,
        named("corpora.reader.reading", "_PARAGRAPHS", "_FENCE", "_TABLE_ROW", "_LIST_ITEM", "_HASHES", "_EMPHASIS")
        + named("corpora.reader.markdown_blocks", "_FENCE", "_RULE", "_COLUMNS", "_ROW", "_BULLET", "_NUMBER")
        + named("corpora.reader.markdown_blocks", "_QUOTE", "_HASHES", "_SIGNS", "_BAR"),
    ),
    "order of names": Probe(sortable, named("corpora.rows.reading_order", "_NUMBER")),
    "number of a unit": Probe(leading_number, named("corpora.metadata.units", "_LEADING")),
    "source": Probe(without_marks, named("corpora.templatetags.documents", "_MARKS", "_ROW")),
    "archive": Probe(archives._MAIN_PART.fullmatch, named("corpora.uploads.archives", "_MAIN_PART")),
    "file name": Probe(  # Django's parser gives a part's headers 1 KB
        lambda text: safe_filename(text[:1024]),
        named("corpora.uploads.signatures", "_UNSAFE_IN_NAMES", "base"),
    ),
    "metadata": Probe(
        lambda text: MetadataSerializer(data=dict.fromkeys(("language", "tags", "title"), text)).is_valid(),
        named("corpora.uploads.inputs", "language") + named("corpora.pages.description_forms", "language"),
    ),
    "folding": Probe(fold, named("retrieval.text.folding", "_ACCENTS", "_SIGNS")),
    "abbreviations": Probe(lambda text: phrasings(text, ()), named("retrieval.ranking.expansion", "_LETTERS")),
    "language": Probe(detect, named("retrieval.text.language", "_WORD", "_NUMBERED_ONE")),
    "sentences": Probe(sentences, named("retrieval.text.lines.sentences", "SENTENCE_END")),
    "stems": Probe(stems, named("retrieval.text.stems", "WORD")),
    "terms": Probe(terms_of_a_question, named("retrieval.text.terms", "_FINDERS", "_PIECE", "_WORD", "found")),
    "places": Probe(
        lambda text: (
            heading_key(text),
            provision_key("Disposiciones finales", text),
            provision_key(text, "Segunda. Plazos"),
            asked_places(text),
            asked_places("arts. 1" + text),
        ),
        named(
            "retrieval.text.references",
            "_ROMAN_NUMBER",
            "_HEADED",
            "_ORDINAL",
            "_BASE",
            "_UNIT",
            "_CLAUSE",
            "_NUMBERED",
            "_PROVISIONS",
            "_PROVISION",
            "_MARKS",
        )
        + named("retrieval.text.place_numerals", "_TOKEN"),
    ),
    "names": Probe(
        lambda text: (
            names_of(text, text, text),
            asked_mentions(text),
            asked_mentions("la ley de " + text),
            without_source(text),
        ),
        named("retrieval.text.document_names", "_DATE", "_APPROVED", "_SHORT", "_SUBTITLE", "_COUNTED", "_HOLDS")
        + named("retrieval.text.document_names", "_FILE_COUNT", "_EXTENSION", "_FIGURES", "_FIGURE", "_BRACKETS")
        + named("retrieval.text.document_names", "_TOKEN", "_YEAR", "_LAST_EDITION", "_FILE_YEAR", "_FILE_GAPS")
        + named("retrieval.text.naming.acts", "_DATED", "_UNDATED", "_GAPS", "_GAPS_OF_SHORT", "_YEAR")
        + named("retrieval.text.naming.name_words", "_WORD")
        + named("retrieval.text.asked_names", "_FILE", "_SHORT", "_SIGN", "_BRACKETS", "_OF_A_MACHINE")
        + named("retrieval.places.source", "_WORD", "_BY_WHOM"),
    ),
    "editions": Probe(
        lambda text: (edition_names(text, text, text), asked_editions(text), asked_editions("version " + text)),
        named("retrieval.text.naming.editions", "_WITH_WORD", "_WITH_SIGN", "_DECIMAL", "_YEAR", "_BEHIND_A_SHORT")
        + named("retrieval.text.naming.editions", "_COUNTED", "_DIGITS", "_EXTENSION"),
    ),
    "headings in questions": Probe(
        lambda text: (heading_words(text), asked_headings(text), asked_headings("the section on " + text)),
        named("retrieval.text.asked_headings", "_QUOTED", "_NAMED", "_OVER", "_ASKING", "_ASKS", "_BRACKETS"),
    ),
    "captions": Probe(
        lambda text: captions_of(Extracted(f"Table 1. {text}")), named(f"{OUTLINE}.captions", "_CAPTION", "_GOES_ON")
    ),
    "places in passages": Probe(
        lambda text: (
            [
                one.search(fold_latin(text))
                for one in (*PLACES, part_mark("2"), part_mark("a", run_in=True), part_mark("2", run_in=True))
            ]
            + [
                lines_of(one, [chunk_of(1, row + text)], None)
                for one in ASKED
                for row in ("", "V2.1.1 ", "|a|\n|-|\n|R-12|")
            ]
            + [is_said(one, [text]) for one in ASKED if one.letters]
        ),
        named("retrieval.places.standing", "part_mark")
        + named("retrieval.places.lines", "_COUNT", "_RULE", "following", "said", "place_heading"),
    ),
    "embedding": Probe(embed),
    "snippet": Probe(
        lambda text: (snippet(QUESTION, text), snippet(text, "Una frase entera aquí. " * 50)),
        named("retrieval.context.snippets", "_SIGNS"),
    ),
    "standing": Probe(
        standing_of,
        named("retrieval.confidence.closeness", "__init__")
        + named("retrieval.confidence.expected", "_ASKS_COUNT", "_ASKS_DEFINITION", "_ASKS_PART")
        + named("retrieval.confidence.expected", "_ASKS_PAST", "_DEFINED", "_DEFINES", "_INSIDE", "_SIGN")
        + named("retrieval.confidence.expected", "_is_defined", "each")
        + named(
            "retrieval.confidence.kinds",
            "_ASKS",
            "_ASKS_NO_AMOUNT",
            "DATE",
            "_AGE",
            "_CLOCK",
            "_COLOUR",
            "_DIGITS",
            "_MAIL",
            "_MONEY",
        )
        + named("retrieval.confidence.kinds", "_SHARE", "_SPAN", "_WEB", "_WHEN")
        + named("retrieval.confidence.caps", "_ASKS", "_NUMBER", "_QUOTED", "cap_of_first")
        + named("retrieval.confidence.names", "_WORD", "_ROMAN"),
        size=1_000,
    ),
    "other forms of words": Probe(
        lambda text: (
            [roots_of(word) for word in words(text)],
            [
                list(places_of(root, b" " + words_only(text)))
                for word in ("donate", text[:5])
                for root in roots_of(word)
            ],
        ),
        named("retrieval.confidence.inflection", "_CLOSED"),
    ),
    "coverage": Probe(lambda text: (coverages(QUESTION, [text], TERMS), coverages(text, ["Una frase aquí."] * 50))),
    "compression": Probe(lambda text: compress(chunk_of(1, text), 500, WANTED)),
    "canonical text": Probe(
        tidy_text,
        named(CANONICAL, "_LINE_ENDS", "_SPACES", "_INVISIBLE", "_LIGATURE", "_TRAILING", "_BLANK_LINES"),
    ),
    "topics": Probe(
        lambda text: (
            carry_topic(["artículo 14"], text),
            carry_topic(["artículo 14"], f"¿y el {text}"),
            carry_topic(["artículo 14 de la ordenanza de obras"], f"¿y en la de {text}"),
        ),
        named("chat.understanding.topics", "_COUNT", "_OF_ANOTHER", "_IN_ANOTHER"),
        size=2_000,  # a question has 8,000 at most
    ),
    "replacing": Probe(
        lambda text: (with_other_term("¿Cuánto dura?", text), with_other_term(text, f"¿y la {text}"[:120])),
        named("chat.understanding.replacing", "_GOES_ON", "_TOKEN", "_SIGN"),
        size=2_000,  # a question has 8,000 at most
    ),
    "courtesies": Probe(
        lambda text: (is_courtesy(text[:LONGEST_COURTESY]), is_courtesy(f"hola {text}"[:LONGEST_COURTESY])),
        named("chat.understanding.courtesies", "_COURTESIES"),
    ),
    "docx": Probe(
        lambda text: (docx._tidy(text), docx._NO_TITLE.fullmatch(one_line(text))),
        named("workers.ingestion.extract.docx", "_LINE_BREAK", "_TAB", "_NO_TITLE"),
    ),
    "front matter": Probe(
        lambda text: (
            read_front_matter(text),
            read_front_matter(f"tags: {text}"),
            read_front_matter(f"meta:\n {text}"),
        ),
        named("workers.ingestion.extract.markup.front_matter", "_PAIR", "_ENTRY", "_ITEM", "_COMMENT"),
    ),
    "markdown document": Probe(
        lambda text: [
            refused_or(partial(extract_markdown, f"{before}{text}".encode()), ExtractionError)
            for before in ("", "[x]: /y ", "<!--")
        ],
        named(
            *(
                MARKDOWN,
                "_FRONT_MATTER",
                "_ATX",
                "_DEFINITION",
                "_FENCE",
                "_IMAGE",
                "_LINK",
                "_COMPONENT",
                "_ANCHOR",
                "_EMPHASIS",
                "_LISTED",
            ),
        )
        + named(f"{OUTLINE}.typed.underlined", "_SETEXT", "_NOT_A_PARAGRAPH"),
    ),
    "html in a document": Probe(
        lambda text: (
            [
                without_tags(written, code_in(written.split("\n"), ()))
                for written in (text, f"<table><tr><td>{text}", f"<details><summary>{text}</summary>{text}</details>")
            ],
            [
                without_tags(tag.join(text[: len(text) // 4]), ())
                for tag in ("<b>", "<h1><h2>", "<td>", "<li><ul>", "</a>")
            ],
            Tag("img", 0, 0, is_closing=False, attributes=text).value("alt"),
            Tag("img", 0, 0, is_closing=False, attributes=f"alt='{text}").value("alt"),
        ),
        named(f"{MARKUP}.html_tags", "_TAG", "_ATTRIBUTE")
        + named(f"{MARKUP}.writer", "_MARK")
        + named(f"{MARKUP}.code", "_LISTED"),
    ),
    "pictures in a document": Probe(
        lambda text: (
            without_carried(
                [
                    f"[a]: <data:image/png;base64,{text}",
                    f"{text} data:image/",
                    f"![{text}](data:image/png;base64,{text}",
                    f'<img alt="{text}" src="data:image/png;base64,AA==" alt="{text}">',
                ],
                set(),
            ),
            [*spots_in(text, ())],
            [*spots_in(f"![{text}](#picture-1)", ())],
        ),
        named("workers.ingestion.pictures.embedded", "_DEFINED", "_CARRIED", "_ALT")
        + named("corpora.reader.markdown_blocks", "PICTURE"),
    ),
    "plain document": Probe(
        lambda text: refused_or(lambda: plain.extract_text(text.encode("cp1252", "ignore")), ExtractionError),
        named("workers.ingestion.extract.plain", "_LONG_NON_ASCII_RUN"),
    ),
    "pdf": Probe(
        lambda text: (pdf._LEADERS.sub("", text), pdf._NO_TITLE.fullmatch(one_line(text))),
        named(PDF, "_NO_TITLE", "_LEADERS"),
    ),
    "pdf heading": Probe(
        lambda text: (pdf_headings._letters(text), pdf_headings._NUMBERING.sub("", text)),
        named(f"{PDF}_headings", "_NOT_LETTERS", "_NUMBERING"),
    ),
    "pdf running lines": Probe(
        lambda text: drop_running_lines(pages_of_a_pdf(text)),
        named(f"{PDF}_running_lines", "_NUMBER", "_PAGE_WORDS", "_DISTANCE", "words"),
    ),
    "pdf margins": Probe(
        lambda text: running_lines(
            [
                PrintedLine(line.replace("{n}", str(page)), page, 8.0, 30.0, 22.0)
                for page in range(7)
                for line in (f"{text[:190]} {{n}}", text, *text.split("\n"))
            ]
        ),
        named(f"{OUTLINE}.margins", "_NUMBER", "_COUNTED"),
    ),
    "pdf text": Probe(
        lambda text: assemble(pages_of_a_pdf(text), []),
        named(f"{PDF}_text", "_LIST_ITEM", "_ENDS_HERE", "_COMPOUND", "_LAST_WORD", "_FIRST_WORD"),
    ),
    "numbered headings": Probe(
        lambda text: (
            numbered_place(text),
            numbered_place(f"Artículo {text}"),
            numbered_place(f"1.1 {text}"),
            numbered_place(f"Primera {text}"),
        ),
        named(
            f"{OUTLINE}.places", "_KIND", "_PLACE", "_DECIMAL", "_UNNUMBERED", "_GOES_ON_AS_TITLE", "_ONLY", "_ORDINAL"
        ),
    ),
    "questions and answers": Probe(
        lambda text: (
            question_lines(["¿Qué es esto?", *text.split("\n")]),
            question_title(text),
            question_title(f"P1. {text}"),
        ),
        named(f"{OUTLINE}.faq", "_ASKED", "_ANSWERED", "_MARKED", "_BOLD"),
    ),
    "titles of headings": Probe(
        lambda text: (
            assemble([[f"Artículo {n}. {text[:400]}", *text.split("\n")[:20]] for n in range(1, 9)], []),
            plain.extract_text(
                "\n".join(f"Artículo {n}. {text[:400]}" for n in range(1, 9)).encode("utf-8", "replace")
            ),
        ),
        named(f"{OUTLINE}.numbered", "_ENDS", "_SENTENCE_INSIDE", "_LISTED", "_INTRODUCES"),
    ),
    "titles of documents": Probe(
        lambda text: (title_of_file(text), title_of_norm(text, ""), title_of_norm(f"Ley 1/2020, de {text}", "")),
        named("workers.ingestion.extract.titles", "_NORM", "_EXTENSION", "_BETWEEN_WORDS", "_UNACCENTED"),
    ),
    "contents": Probe(
        lambda text: (
            *(contents_lines([["Índice", text, f"{text[:200]} ... 5", *text.split("\n")]] * few) for few in (2, 5)),
            contents_lines([[f"Artículo {n % 9}. {text[:400]}" for n in range(30)], [f"Artículo 1 {text}", "1", text]]),
            is_contents_title(text),
        ),
        named(f"{OUTLINE}.contents", "_STRONG", "_WEAK", "_INDEX_ENTRY", "_TITLE", "_INDEX_TITLE", "_SIGNS_AROUND")
        + named(f"{OUTLINE}.contents", "_NOT_LETTERS", "_SENTENCE", "_LEADERS")
        + named(f"{OUTLINE}.repeated", "_PAGE", "_NOT_LETTERS"),
    ),
    "printed headings": Probe(
        lambda text: [
            of_print([PrintedLine(text, 0, 20.0, font=text[:128]), PrintedLine("texto " * 9, 0, 10.0)])
            for of_print in (headings_by_print, title_in_print)
        ],
        named(f"{OUTLINE}.fonts", "_NO_TITLE", "_BULLETIN", "_BOLD", "_NOT_ITS_TITLE"),
    ),
    "chunks": Probe(
        lambda text: (
            (segment_text(text, [], 100, 10), segment_text(f"```{text}\n{text}\n```", [], 100, 10)) if text else None
        ),
        named("workers.ingestion.chunk.segments", "_END", "_FENCE", "_LANGUAGE"),
        size=2_000,  # of pieces so short, enough to be cut often
    ),
    "a table's cells": Probe(
        lambda text: (is_data([(text, text), (text, "")]), are_clauses([(text, text)]), printed._CAPTION.search(text)),
        named(f"{TABLES}.rows", "_MARKER", "_LEADERS", "_PAGE", "_DRAWN") + named(f"{TABLES}.printed", "_CAPTION"),
    ),
    "a server's version": Probe(
        lambda text: refused_or(lambda: require_version(text), IndexOutdated),
        named("retrieval.index.server.version", "_VERSION"),
    ),
    "an extension's version": Probe(
        lambda text: refused_or(lambda: require_pgvector(DatabaseVersions("16.4", text, text)), IndexOutdated),
        named("retrieval.index.pgvector.version", "_VERSION"),
    ),
    "a collection's layout": Probe(layout_of, named("retrieval.index.server.layout", "_MARK")),
    "a snapshot's name": Probe(snapshots._SAFE_NAME.match, named("retrieval.index.server.snapshots", "_SAFE_NAME")),
    "tokens": Probe(estimate_tokens, named("workers.ingestion.chunk.tokens", "_NON_ASCII", "_WIDE_CHARACTER")),
    "numbers of rows and claims": Probe(
        lambda text: (
            [tables.readings_of(one[:500]) for one in tables.numbers_said(text)],
            tables._words(text),
            tables._years_asked(AnswerTable(statement=text)),
        ),
        named("chat.citing.tables", "_NUMBER", "_GROUPS", "_words", "_years_asked"),
    ),
    "tables of a statement": Probe(
        lambda text: [
            making.table_row(TOOLKIT.sources, WISH.name, {"sql": text}, said, making.Step("query", SHOP))
            for said in ({}, {"table": text})
        ],
        (),
    ),
    "metrics as YAML": Probe(refused_or_read, ()),
    "names of metrics": Probe(rules.folded_name, ()),
    "a tool's name": Probe(_NO_NAME.findall, named("agents.llm.tooling.wishes", "_NO_NAME")),
    "a resource's address": Probe(ADDRESS.fullmatch, named("chat.api.mcp.resources", "ADDRESS")),
    "names of sources": Probe(
        lambda text: (
            HOST.fullmatch(text),
            BUCKET.fullmatch(f"bucket/{text}"),
            TABLE_NAME.fullmatch(text),
            table_named(text[:255]),
        ),  # Django cuts names there
        named("tools.api.serializers", "HOST", "BUCKET") + named("tools.files.keeping", "TABLE_NAME", "plain_words"),
    ),
    "what a webhook's server answers": Probe(
        lambda text: (STATUS_LINE.match(f"HTTP/1.1 {text}".encode()), as_line(text.encode())),
        named("webhooks.sending", "STATUS_LINE"),
    ),
    "words and values of a statement": Probe(
        lambda text: (WORD.fullmatch(text), NO_TEXT.search(text), RUN_COMMENT.search(text)),
        named("tools.sql.gate", "WORD", "RUN_COMMENT") + named("tools.sql.binding", "NO_TEXT"),
    ),
    "which way a claim goes": Probe(ways_said, named("chat.citing.analyses", "_WAYS")),
    "what a server says was granted": Probe(
        lambda text: (
            grants.is_powerful(f"GRANT {text}"),
            grants.is_powerful(f"GRANT SELECT ({text}) ON `{text}`.* TO `a`"),
            grants.roles_in(f"GRANT {text} TO `a`"),
        ),
        named("tools.engines.grants", "ON_EVERYTHING", "OF_ROLES", "ON_A_DATABASE", "COLUMNS", "is_of_objects")
        + named("tools.engines.grants", "_is_like", "parts", "roles_in"),
    ),
    "what a program registers and asks": Probe(
        lambda text: (
            registration.is_redirect_address(f"https://{text}"),
            registration.is_redirect_address(f"https://a.example/{text}"),
            registration.displayable(text),
            CHALLENGE.fullmatch(text),
        ),
        named("accounts.identity.oauth.registration", "HOST", "WITHIN_ADDRESS")
        + named("accounts.pages.programs", "CHALLENGE"),
    ),
    "what a posted answer is made of": Probe(
        lambda text: (
            [refused_or(partial(read, text.encode(), 10**6), SignOnRefused) for read in (saml_message, metadata)],
            [one.search(f"<a>{text}</a>".encode()) for one in (NO_MESSAGE, NO_METADATA)],
            INSTANT.fullmatch(f"2026-01-01T00:00:00{text}"),
            STATE.fullmatch(text),
            BLOCK.findall(f"-----BEGIN CERTIFICATE-----{text}" * 2),
        ),
        named("sign_on.saml.markup", "NO_MESSAGE", "NO_METADATA")
        + named("sign_on.saml.assertions", "INSTANT")
        + named("sign_on.saml.certificates", "BLOCK")
        + named("sign_on.pages.posting", "STATE"),
    ),
    "what a tool server says": Probe(
        lambda text: (
            read_tool(
                {"name": text[:100], "description": text, "inputSchema": {"properties": {text: {"enum": [text]}}}}
            ),
            offered_names([ForeignTool(server=ToolServer(name=text[:60]), name=text)]),
            BLANK.sub("", text),
            [one.fullmatch(text) for one in (TOOL_NAME, ARGUMENT_NAME, SESSION_ID, CREDENTIAL_HEADER)],
        ),
        named("foreign.definitions", "TOOL_NAME", "ARGUMENT_NAME", "BLANK", "name")
        + named("foreign.conversing", "SESSION_ID")
        + named("foreign.admin.forms", "HEADER"),
    ),
    "names and ids of services": Probe(
        lambda text: (
            [one.fullmatch(text) for one in (hubspot.NAME, hubspot.RECORD, rest.RECORD, salesforce.NAME)],
            [one.fullmatch(text) for one in (salesforce.RECORD, salesforce.TOKEN)],
            salesforce.NEXT.fullmatch(f"/services/data/v60.0/query/{text}"),
            refused_or(lambda: salesforce._number(f"1{text}"), QueryFailed),
            bucket.region_of(f"s3.{text}.example"),
            bucket.SIZE.fullmatch(text),
        ),
        named("tools.engines.hubspot", "NAME", "RECORD")
        + named("tools.engines.rest", "RECORD")
        + named("tools.engines.bucket", "REGION", "SIZE")
        + named("tools.engines.salesforce", "NAME", "RECORD", "TOKEN", "NEXT", "_number"),
    ),
    "what a service is described by": Probe(
        lambda text: (
            [one.fullmatch(text) for one in (described.ENTITY, described.HEADER, described.HOST, described.PARAMETER)],
            described._is_path(f"/{text}"),
            [one.search(text) for one in (described.HOPS, described.PLACE)],
        ),
        named("tools.services.described", "ENTITY", "HEADER", "HOST", "PARAMETER", "PATH", "PLACE", "HOPS", "_is_path"),
    ),
    "extraction's words": Probe(wire._LANGUAGE.fullmatch, named("workers.ingestion.sandbox.wire", "_LANGUAGE")),
}
OURS = {
    "accounts.admin.auditing.sentences:CONTRACTED": "our own sentences, before names are put in",
    "accounts.tenancy.postgresql.base:_OF_ROWS": "the beginning of a statement; values come behind it",
    "retrieval.embeddings.base:safe": "the name of a model, from the settings",
    "workers.datasets:made": "the slugs of organizations that this module made, asked of the database",
}


def expressions_tested() -> Iterator[str]:
    for probe in PROBES.values():
        yield from probe.expressions
