"""Whether a statement says of one thing what it is, or what it does, where that is asked for. Pure."""

import re
from collections.abc import Sequence

from agents.llm.quoting.asked_for.kinds import Wish, kind_of_question
from agents.llm.quoting.asked_for.subject import asked_options, options_of
from agents.llm.quoting.laid.layout import Form
from agents.llm.quoting.quotable import goes_on_from_its_heading
from agents.llm.quoting.statements import Statement, said_words
from agents.llm.quoting.topic import Topic, Wording, asked_about, asks_with
from retrieval.text.folding import fold_latin
from retrieval.text.stems import STOP_WORDS, words

OPENING, LONGEST_WORD = 6, 30  # words of a sentence that are its beginning; characters of one
MOST_OPENED = 0.6  # of the topic's worth, that a definition opens with
NEARLY_ALL = 0.95
ALIKE = 0.75  # a heading and what is asked for, where what stands below defines it
VERB_WITHIN = 120  # characters of a definition, in which its verb stands
MOST_OF_A_THING, MOST_BESIDE = 3, 2  # words of what is asked for; beside it before a colon
LONGEST_REVERSED, MOST_BETWEEN = 400, 4  # characters in which a thing is named at last; words that name it
FEWEST_NEW, FEWEST_DONE = 3, 2  # words of what is said of it, and not asked; of what it does
MOST_ASKED = 64  # words of a question

_VERB = re.compile(
    r"(?<!\bthat )(?<!\bit )(?<!\bthere )(?<!\bwhich )\b(?:es|son|significan?|se refieren?|consisten?|permiten?|sirven?"
    r"|se (?:llaman?|definen?|conocen?|usan?|utilizan?|entiende)|is|are|means|refers|stands|allows|lets)\b"
)
_DENIED = re.compile(r"\b(?:es|son|is|are)\s(?:not|never)\b|\bno (?:es|son|significan?|consisten?|se)\b")
_BOUND = re.compile(r"\b(?:shall|must|may|should|deben?|deberan?|podran?)\b")
_NAMED = re.compile(r"(?:\W{0,3}\d{1,3}[.)]\s)?[«\"“‘']([^»\"”’']{2,60})[»\"”’']")
_DOES = re.compile(
    r"\b(?:que hacen?|para que (?:sirven?|se (?:usan?|utilizan?))|what do(?:es)?)\b|^what (?:is|are) .{1,60} for\b"
)
_CONDITION = re.compile(
    r"\W{0,3}(?:si|cuando|mientras|aunque|if|when|where|while|unless|although)\b"
)  # "Si no, X es infinito"
_OUTRIGHT = re.compile(r"(?:es|son|significan?|consisten?|se (?:define|entiende)|is|are|means|refers)\b")
_TELLS = re.compile(r"(?:indica|representa|describe|designa|denota|indicate|represent|denote)[ns]?\b")
_INTRODUCED = re.compile(
    r".{0,90}?\b(?<!\bno )(?<!\bno se )(?:(?:entiende|entendera|entenderse|entendemos) por|se consideran?"
    r"|se considerara|tendran? la consideracion de):?\s"
)
# "Este modelo se denomina de mosaico fluido", "lo que se llama latencia": what it is stands before.
_REVERSED = re.compile(
    r"\b(?<!\bno )(?:se (?:denominan?|llaman?|conocen? como)|(?:es|son) (?:denominad|llamad|conocid)[oa]s?(?: como)?"
    r"|recibe el nombre|(?:is|are) (?:called|known as|termed))\s(?:(?:de|como|un|una|el|la|los|las|an|a|the) ){0,2}"
)
_DEFINED = re.compile(r"\b(?<!\bno )(?:(?:que )?se definen? como|(?:which )?(?:is|are) defined as)\s")
_PREPOSITIONS = frozenset({"de", "del", "of", "in", "en", "con", "with", "for", "para"})
# "Many footprints are …" says of some what it says; "Each Contributor represents …" of each what it does.
_QUANTIFIERS = re.compile(
    r"(?:many|some|most|several|few|each|every|no|not|other|another|much[oa]s|algun|algun[oa]s?|vari[oa]s|poc[oa]s|cada"
    r"|ningun|ningun[oa]|otr[oa]s?)"
)
_POINTING = frozenset({"esto", "eso", "ello", "this", "that", "it"})
_ARTICLES = frozenset({"el", "la", "los", "las", "un", "una", "unos", "unas", "the", "a", "an"})
_DENIES = frozenset({"no", "not"})
_LINKS = frozenset({"de", "del", "of"})
_LISTED = re.compile(r"(?:-{1,2}[\w-]{1,40}(?:[ =]\[?[A-Z_]{2,20}\]?)?,? ){1,4}")  # "-f, --force "
_CODE = re.compile(r"[a-z0-9][\w.-]{0,40}(?<![.-])")
_CODES = re.compile(r"\W{0,3}(?:(?:\w{1,12} ){0,2}(?:codigos?|codes?|err(?:or|no)|fallo|averia|fault|alarm\w?)\b)")
_ASKS_MEANING = re.compile(r"\b(?:significan?|quieren? decir|mean|stand for)\b")
_MEANT = re.compile(r"(?:(?:it|this|that|esto|eso) )?(?:means|significa|quiere decir)\b")
# "What is the quorum of the committee?" wants no definition of it.
_ASKS_PART = re.compile(
    r"what (?:is|are) the (?!(?:meaning|definition|purpose|point|use|aim|role|function)\b)(?:[\w-]{2,20} ){1,3}"
    r"(?:of|for|in|on|with|to|by) (?:the|an?|this|each|every|our|your)\b"
)
_ENTRY = re.compile(r"[«\"“(]?[^.:;|—–]{2,60}[:—–|]\s")  # of a glossary: "Latencia: tiempo que …"
_DESCRIBES = re.compile(  # what a column says of what stands in the first one
    r"\b(?:descripcion|significado|definicion|funcion|que (?:es|hace|significa)|para que|uso|description|meaning"
    r"|definition|purpose|what it|used for|use)\b"
)


def asks_what_one_thing_is(question: str) -> bool:
    """ "¿Qué es una VLAN nativa?": a definition, of what few words name."""
    if _ASKS_PART.search(fold_latin(question[:VERB_WITHIN])):
        return False
    about = asked_about(said_words(question)[:MOST_ASKED])
    return kind_of_question(question) is Wish.DEFINITION and 0 < len(about) <= MOST_OF_A_THING


def opening_of(text: str) -> list[str]:
    """The first words of a sentence, folded."""
    return words(text[: OPENING * LONGEST_WORD])[:OPENING]


class Defining:
    """What says of `topic` what it is; what it does counts as well, where the question asks for that."""

    def __init__(self, question: str, topic: Topic) -> None:
        self._topic = topic
        folded = fold_latin(question[:VERB_WITHIN])
        self._does = _DOES.search(folded) is not None
        self._options = asked_options(question)
        self._asks_meaning = _ASKS_MEANING.search(folded) is not None
        self._asked = frozenset(_CODE.findall(folded))

    def defines(self, one: Statement) -> bool:
        """Whether a statement names the thing at first, or is the first below a heading that does, and says something
        that the question does not."""
        if self._is_row_of_code(one):
            return True
        if one.block.form is Form.TABLE and not one.is_whole and not _describes(one.block.header):
            return False
        text = one.block.lead if one.is_whole else one.text
        says = self._listed(one) or self.says_from(text) or self._entered_below(one, text)
        is_below = one.opens_section and not one.is_whole and self._is_headed(one)
        if not says and not is_below:
            return False
        says_more = [word for word in said_words(text[says:]) if not self._topic.has(word)]
        is_told = self._does and one.block.form is Form.PARAGRAPH  # "abandona el bucle" is enough, and a cell is not
        return len(says_more) >= (FEWEST_DONE if is_told else FEWEST_NEW)

    def _is_headed(self, one: Statement) -> bool:
        """Whether what stands above a statement is the thing; or asks about it as the question does, what it means, and
        the statement says "It means …"."""
        if self._topic.alike(Wording(one.heading)) >= ALIKE:
            return True
        if not self._asks_meaning or "?" not in one.block.heading + one.asked:
            return False
        says_it_means = _MEANT.match(fold_latin(one.text[:LONGEST_WORD])) is not None
        return says_it_means and self._topic.share_in(Wording(one.above)) > NEARLY_ALL

    def _is_row_of_code(self, one: Statement) -> bool:
        """Whether a row of a table of codes begins with the one that is asked for: "17 | Error del cepillo"."""
        if one.is_whole or not _CODES.match(fold_latin(" ".join(one.block.header[:1]))):
            return False
        code = fold_latin(one.text.partition(" | ")[0])
        return any(map(str.isdigit, code)) and code in self._asked and self._has_all(one)

    def _listed(self, one: Statement) -> int:
        """Where a statement begins to say what an option does, behind its names: "-f, --force Hará que …"; 0 where it
        is of another one, or of another program."""
        listed = _LISTED.match(one.text) if self._options else None
        is_asked = listed is not None and not self._options.isdisjoint(options_of(listed[0]))
        return listed.end() if listed and is_asked and self._has_all(one) else 0

    def _has_all(self, one: Statement) -> bool:
        """Whether a statement and what stands above it, up to the title, have all of the thing."""
        return self._topic.share_in(Wording((*one.words, *one.above, *one.around, *one.title))) > NEARLY_ALL

    def is_of_another_term(self, one: Statement) -> bool:
        """Whether a sentence goes on from a heading that is another term: "means …" below "1.2. "Lender""."""
        return goes_on_from_its_heading(one.text) and self._topic.alike(Wording(one.heading)) <= NEARLY_ALL

    def says_by_name(self, one: Statement) -> bool:
        """Whether a statement begins with the thing between quotation marks and says what it is: "«arras» significa …",
        "‘skipper’: …"."""
        named = _NAMED.match(one.text)
        if named is None or one.is_whole or self._topic.share_in(Wording(said_words(named[1]))) <= NEARLY_ALL:
            return False
        behind = one.text[named.end() :].lstrip()
        is_said = behind.startswith(":") or _OUTRIGHT.match(fold_latin(behind[:LONGEST_WORD])) is not None
        return is_said and all(map(self._topic.has, said_words(named[1])))

    def says_outright(self, one: Statement) -> bool:
        """Whether a sentence begins with the thing and goes on with what it is: "Una función es …", and no "Una función
        recursiva es …"; or is the first below a heading that has the thing and nothing else; or a code's row."""
        if self._is_row_of_code(one) or (one.opens_section and self._topic.alike(Wording(one.heading)) > NEARLY_ALL):
            return True
        if one.block.form is not Form.PARAGRAPH:
            return False
        opening = words(one.text[: OPENING * LONGEST_WORD])[: OPENING + 1]
        behind = self._behind_the_thing(opening)
        is_said = behind > 0 and _OUTRIGHT.match(" ".join(opening[behind:])) is not None
        return is_said and self._topic.share_in(Wording(opening[:behind])) > NEARLY_ALL

    def says_from(self, text: str) -> int:
        """Where a sentence that opens with the thing begins to say what it is, or does, in characters; 0 where it does
        not."""
        folded = fold_latin(text[:VERB_WITHIN])
        if introduced := _INTRODUCED.match(folded):  # "Se entiende por centro sanitario el conjunto …"
            is_it = self._topic.share_in(Wording(opening_of(text[introduced.end() :]))) >= MOST_OPENED
            return introduced.end() if is_it else 0
        opening = opening_of(text)
        if self._is_quantified(opening) or _CONDITION.match(folded) or self._names_another(text):
            return 0
        if self._topic.share_in(Wording(opening)) < MOST_OPENED:
            return self._named_within(text)
        found = _VERB.search(folded)
        denied = _DENIED.search(folded)
        if found and _BOUND.search(folded[: found.start()]):  # "The controller shall ensure that the officer is …"
            found = None
        if found and denied and denied.start() <= found.start() <= denied.end():  # "Packages are not required to …"
            return 0
        if found and opening[0] in _POINTING and not self._topic.has(opening[0]):  # "Esto es útil cuando logrotate …"
            found = None
        if (found and self._is_subject(opening)) or (found := self._entered(text)):
            return found.end()
        behind = self._behind_the_thing(opening)
        is_told = behind > 0 and _TELLS.match(opening[behind]) is not None  # "La máscara indica qué parte …"
        deed = opening[behind] if is_told else self._deed(opening)
        return max(0, folded.find(deed)) if deed else 0

    def _is_quantified(self, opening: Sequence[str]) -> bool:
        return bool(opening) and _QUANTIFIERS.fullmatch(opening[0]) is not None and not self._topic.has(opening[0])

    def _names_another(self, text: str) -> bool:
        """Whether a sentence begins with a name between quotation marks that has more than the thing: "‘personal data
        breach’ means …" does not say what personal data are."""
        named = _NAMED.match(text)
        return named is not None and not all(map(self._topic.has, said_words(named[1])))

    def _is_subject(self, opening: Sequence[str]) -> bool:
        """Whether a sentence begins with the thing, and not with something of it: "The name of the footprint is …"."""
        thing = next(place for place, word in enumerate(opening) if self._topic.has(word))
        before = [word for word in opening[:thing] if word not in _ARTICLES]
        is_of_it = len(before) > 1 and before[-1] in _PREPOSITIONS
        return not is_of_it or asks_with(before[-2])

    def _named_within(self, text: str) -> int:
        """Where a sentence names the thing behind what it is, "… es denominado atributo llave", or in its midst before
        it, "… de la corresponsabilidad, que se define como …"; 0 where it does not."""
        folded = fold_latin(text[:LONGEST_REVERSED])
        for found in _REVERSED.finditer(folded):
            named = words(folded[found.end() :])[:MOST_BETWEEN]
            if named and self._topic.has(named[0]) and self._topic.share_in(Wording(named)) > NEARLY_ALL:
                return found.end() if found.start() == 0 else 1
        for found in _DEFINED.finditer(folded):
            named = words(folded[: found.start()])[-MOST_BETWEEN:]
            if named and self._topic.has(named[-1]) and self._topic.share_in(Wording(named)) > NEARLY_ALL:
                return found.end()
        return 0

    def _entered_below(self, one: Statement, text: str) -> int:
        """Where a glossary's entry ends that has a part of the thing, and the heading or the lead above it the rest:
        "UNIQUE: …" below "Restricciones"."""
        entry = self._entered(text)
        if entry is None or not any(map(self._topic.has, said_words(entry[0]))):
            return 0
        both = Wording((*said_words(entry[0]), *one.heading, *said_words(one.block.lead)))
        return entry.end() if self._topic.share_in(both) > NEARLY_ALL else 0

    def _entered(self, text: str) -> re.Match[str] | None:
        """The word of a glossary and little else, with its colon."""
        entry = _ENTRY.match(text)
        others = entry and sum(not self._topic.has(word) for word in said_words(entry[0]))
        return entry if others is not None and others <= MOST_BESIDE else None

    def _deed(self, opening: Sequence[str]) -> str:
        """What the thing that a sentence begins with does: "`break` abandona …", "--skip-lock No bloquea
        …"; "" where nothing is told of it."""
        behind = self._behind_the_thing(opening) if self._does else 0
        if not behind or (opening[behind] in STOP_WORDS and opening[behind] not in _DENIES):
            return ""
        return opening[behind]

    def _behind_the_thing(self, opening: Sequence[str]) -> int:
        """The place of the word behind the thing that a sentence begins with; 0 where it begins with something else."""
        before = (word in _ARTICLES or (asks_with(word) and not self._topic.has(word)) for word in opening)
        thing = next((place for place, is_before in enumerate(before) if not is_before), len(opening))
        behind = next((place for place in range(thing, len(opening)) if not self._is_of_it(opening[place:])), 0)
        return behind if thing < behind else 0

    def _is_of_it(self, said: Sequence[str]) -> bool:
        """Whether the first word names the thing, or is between two that do: "máscara de subred"."""
        return self._topic.has(said[0]) or (said[0] in _LINKS and len(said) > 1 and self._topic.has(said[1]))


def _describes(header: Sequence[str]) -> bool:
    return _DESCRIBES.search(fold_latin(" ".join(header))) is not None
