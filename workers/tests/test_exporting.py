"""The ZIP of an export, whatever its things are called."""

import zipfile
from io import BytesIO

import pytest

from chat.models import Export
from tests.factories import ConversationFactory, CorpusFactory, DocumentFactory, MembershipFactory
from workers.exporting.archive import write_archive

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", ["???", "¿…?", "?.?", "..", "", " ", "🙂", "/", "\\", "日本語", "a" * 150])
def test_no_name_is_in_the_way(name: str) -> None:
    member = MembershipFactory()
    document = DocumentFactory(corpus=CorpusFactory(personal_of=member, name=name), filename=f"{name}.txt", title=name)
    ConversationFactory(of=member, title=name)
    target = BytesIO()
    export = Export(organization=member.organization, owner=member.user)
    write_archive(export, target, lambda _done, _total: None)
    with zipfile.ZipFile(target) as archive:
        parts = [path.split("/") for path in archive.namelist()]
    assert [path[-1] for path in parts if path[0] == "documents" and path[-1].endswith(f"{str(document.pk)[:8]}.json")]
    assert len([path for path in parts if path[0] == "conversations"]) == 2
    assert all(part.strip(" .") and not set(part) & set('\\:*?"<>|') for path in parts for part in path)


def test_a_name_without_a_letter_gives_way_to_its_kind() -> None:
    member = MembershipFactory()
    conversation = ConversationFactory(of=member, title="¿?")
    target = BytesIO()
    write_archive(Export(organization=member.organization, owner=member.user), target, lambda _done, _total: None)
    with zipfile.ZipFile(target) as archive:
        assert any(name.endswith(f"-conversation-{str(conversation.pk)[:8]}.md") for name in archive.namelist())
