"""Template tags that every page uses."""

from datetime import datetime, timedelta

from django import template
from django.forms import BoundField
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import gettext as _

from accounts.identity.mail import is_mail_set_up

register = template.Library()


@register.simple_tag
def icon(name: str) -> SafeString:
    """A decorative icon of the sprite; what it means stands beside it as text or label."""
    return format_html(
        '<svg class="icon" aria-hidden="true" focusable="false"><use href="{}#{}"></use></svg>',
        static("acervo/icons.svg"),
        name,
    )


@register.simple_tag
def sends_mail() -> bool:
    """Whether a page may promise a mail."""
    return is_mail_set_up()


@register.filter
def control(field: BoundField, attribute: str = "") -> SafeString:
    """A form field's control without a placeholder: the label says what belongs there, and stays while one writes."""
    return field.as_widget(attrs={"placeholder": False, **({attribute: True} if attribute else {})})


@register.filter
def ago(moment: datetime) -> str:
    """How long it is since then, in one unit."""
    if timezone.now() - moment < timedelta(minutes=1):
        return _("just now")
    return _("%(ago)s ago") % {"ago": timesince(moment, depth=1)}
