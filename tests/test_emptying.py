"""What a transactional test leaves behind: nothing of its own, and what migrations made."""

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType

from tests.emptying import empty
from tests.people import People, signed_in
from tests.world import World


@pytest.mark.django_db(transaction=True)
def test_every_row_of_a_test_is_gone_and_permissions_stay(people: People) -> None:
    World.furnished(people)
    signed_in(people.alice)
    permissions, types = Permission.objects.count(), ContentType.objects.count()
    empty("default")
    left = {model._meta.label for model in apps.get_models() if model._base_manager.exists()}
    assert left == {"auth.Permission", "contenttypes.ContentType"}
    assert (Permission.objects.count(), ContentType.objects.count()) == (permissions, types)
