"""A filter of SCIM as a condition on rows: `eq` and `and` of what directories look for (RFC 7644 §3.4.2.2).

The library reads it, in time linear to its length and to a depth of its own; what it names is looked up in a list.
"""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from django.db.models import Q
from scim2_models import Resource, ScimFilter
from scim2_models.path import AttrPath, CompareOperator, Comparison, FilterNode, LogicalExpr, LogicalOperator, ValuePath

from accounts.http.bodies import is_kept
from provisioning.problems import InvalidFilter

LONGEST_FILTER = 1_000
MOST_TERMS = 20
Condition = Callable[[Any], Q]
NOBODY = Q(pk__in=())


def _text(lookup: str, fold: Callable[[str], str] = str) -> Condition:
    return lambda value: Q(**{lookup: fold(value)}) if isinstance(value, str) and is_kept(value) else NOBODY


def _id(lookup: str) -> Condition:
    def condition(value: Any) -> Q:
        try:
            return Q(**{lookup: UUID(str(value))})
        except ValueError:
            return NOBODY

    return condition


def _active(value: Any) -> Q:
    opens = Q(is_active=True) & (Q(membership=None) | Q(membership__is_active=True))
    is_wanted = value if isinstance(value, bool) else str(value).lower() == "true"
    return opens if is_wanted else ~opens


_EMAIL = _text("email", str.lower)
OF_USERS: Mapping[str, Condition] = {
    "id": _id("pk"),
    "username": _text("user_key", str.casefold),
    "externalid": _text("external_id"),
    "emails": _EMAIL,
    "emails.value": _EMAIL,
    "displayname": _text("display_name__iexact"),
    "active": _active,
}
OF_GROUPS: Mapping[str, Condition] = {
    "id": _id("pk"),
    "displayname": _text("display_name__iexact"),
    "externalid": _text("external_id"),
    "members": _id("users"),
    "members.value": _id("users"),
}


def condition_of(said: str, model: type[Resource[Any]], known: Mapping[str, Condition]) -> Q:
    """Raises InvalidFilter, and the library's own InvalidFilterException."""
    if len(said) > LONGEST_FILTER:
        raise InvalidFilter
    return _condition(ScimFilter[model](said).ast, known)  # type: ignore[valid-type]  # made for a model at run time


def _condition(node: FilterNode, known: Mapping[str, Condition]) -> Q:
    if isinstance(node, LogicalExpr) and node.op == LogicalOperator.and_ and len(node.terms) <= MOST_TERMS:
        found = Q()
        for term in node.terms:
            found &= _condition(term, known)
        return found
    if isinstance(node, ValuePath):
        return _of_value(node, known)
    if isinstance(node, Comparison) and node.op == CompareOperator.eq:
        return _compared(node.attr_path, node.value, known)
    raise InvalidFilter


def _of_value(node: ValuePath, known: Mapping[str, Condition]) -> Q:
    """`emails[value eq "…"]`, also with `type eq "work"` beside it: one address is kept, and its kind is not."""
    inner = node.val_filter
    terms = inner.terms if isinstance(inner, LogicalExpr) and inner.op == LogicalOperator.and_ else (inner,)
    wanted = [one for one in terms if isinstance(one, Comparison) and one.attr_path.attr.lower() == "value"]
    if len(wanted) != 1 or wanted[0].op != CompareOperator.eq or len(terms) > MOST_TERMS:
        raise InvalidFilter
    return _compared(AttrPath(node.attr_path.attr, "value"), wanted[0].value, known)


def _compared(path: AttrPath, value: Any, known: Mapping[str, Condition]) -> Q:
    name = f"{path.attr}.{path.sub_attr}" if path.sub_attr else path.attr
    condition = known.get(name.lower())
    if condition is None:
        raise InvalidFilter
    return condition(value)
