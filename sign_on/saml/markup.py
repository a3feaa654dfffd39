"""XML of strangers, read so that it costs no more than its size: no DTD, no entities, no comments, UTF-8 alone.

A comment within a name ends it for some readers and is skipped by signatures (CERT VU#475445), so there may be none.
"""

import re
from collections.abc import Iterator
from typing import Any

from lxml import etree

from sign_on.problems import TokenRefused

ASSERTION = "{urn:oasis:names:tc:SAML:2.0:assertion}"
PROTOCOL = "{urn:oasis:names:tc:SAML:2.0:protocol}"
SIGNATURE = "{http://www.w3.org/2000/09/xmldsig#}"
METADATA = "{urn:oasis:names:tc:SAML:2.0:metadata}"
MOST_ELEMENTS = 10_000
MOST_ATTRIBUTES = 100  # of an element: listing them, and their canonical order, cost the square of how many they are
BLANKS = " \t\r\n"  # XML's own; what else looks like one belongs to a name
NO_MESSAGE = re.compile(rb"<!|<\?(?!xml )|&(?!lt;|gt;|amp;|quot;|apos;|#)")  # DTD, comment, CDATA, instruction, entity
NO_METADATA = re.compile(rb"<!(?!--)|&(?!lt;|gt;|amp;|quot;|apos;|#)")

Element = Any  # lxml ships no type information


def saml_message(written: bytes, most: int) -> Element:
    """The root of a message. Raises TokenRefused."""
    return _parsed(written, most, NO_MESSAGE, "no_xml")


def metadata(written: bytes, most: int) -> Element:
    """The same of a file that an admin gives, which may hold comments: they are left out."""
    return _parsed(written, most, NO_METADATA, "no_metadata_xml")


def _parsed(written: bytes, most: int, unwanted: re.Pattern[bytes], reason: str) -> Element:
    """`reason`: what is said of one that is not written as it may be."""
    if len(written) > most:
        raise TokenRefused("too_much")
    try:
        written.decode("utf-8")
        if unwanted.search(written):
            raise TokenRefused(reason)
        parser = etree.XMLParser(
            encoding="utf-8", resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False,
            remove_comments=True, remove_pis=True,
        )  # fmt: skip
        root = etree.fromstring(written, parser)
    except (etree.XMLSyntaxError, UnicodeDecodeError, ValueError):
        raise TokenRefused(reason) from None
    counted = [len(one.attrib) for one in root.iter()]
    if len(counted) > MOST_ELEMENTS or max(counted) > MOST_ATTRIBUTES:
        raise TokenRefused("too_much")
    return root


def children(parent: Element, tag: str) -> list[Element]:
    return list(parent.iterchildren(tag))


def only_child(parent: Element, tag: str, reason: str) -> Element:
    """The one child of that name. Raises TokenRefused."""
    found = children(parent, tag)
    if len(found) != 1:
        raise TokenRefused(reason)
    return found[0]


def value_within(element: Element) -> str:
    """All of its text, to the letter. One that holds elements has none."""
    return "" if len(element) else element.text or ""


def text_within(element: Element) -> str:
    """The same without the blanks that a printer puts around it: for what is compared with what we know."""
    return value_within(element).strip(BLANKS)


def ids_within(root: Element) -> Iterator[str]:
    """Every attribute by which some reader may find an element, however it is written."""
    for element in root.iter():
        for name, value in element.attrib.items():
            if etree.QName(name).localname.lower() in ("id", "assertionid", "responseid"):
                yield value
