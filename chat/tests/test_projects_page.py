"""Projects: folders of conversations with their choice of personal corpora."""

import pytest

from chat.models import Conversation, Project
from tests.cast import Cast, browser, make_cast
from tests.factories import ConversationFactory, CorpusFactory, ProjectFactory


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def test_a_project_is_created_with_ones_own_corpora_only(cast: Cast) -> None:
    own, other = CorpusFactory(personal_of=cast.alice), CorpusFactory(personal_of=cast.bob)
    client = browser(cast.alice)
    client.post("/projects/", {"name": "Spy", "corpora": [other.pk]})
    assert not Project.objects.exists()
    client.post("/projects/", {"name": "Novel", "corpora": [own.pk]})
    project = Project.objects.get()
    assert (project.owner, list(project.corpora.all())) == (cast.alice.user, [own])


def test_it_shows_its_conversations_and_begins_new_ones(cast: Cast) -> None:
    project = ProjectFactory(of=cast.alice)
    conversation = ConversationFactory(of=cast.alice, project=project, title="Chapter one")
    ConversationFactory(of=cast.alice, title="Elsewhere")
    page = browser(cast.alice).get(f"/projects/{project.pk}/").content.decode()
    assert "Chapter one" in page
    assert "Elsewhere" not in page
    assert f"/agents/{conversation.agent.slug}/?project={project.pk}" in page


def test_deleting_keeps_the_conversations(cast: Cast) -> None:
    project = ProjectFactory(of=cast.alice)
    ConversationFactory(of=cast.alice, project=project)
    browser(cast.alice).post(f"/projects/{project.pk}/delete/")
    assert Conversation.objects.get().project is None


def test_it_is_renamed(cast: Cast) -> None:
    project = ProjectFactory(of=cast.alice)
    browser(cast.alice).post(f"/projects/{project.pk}/edit/", {"name": "Renamed"})
    project.refresh_from_db()
    assert project.name == "Renamed"


@pytest.mark.parametrize("who", ["bob", "admin", "charlie"])
def test_for_others_it_does_not_exist(cast: Cast, who: str) -> None:
    project = ProjectFactory(of=cast.alice)
    client = browser(getattr(cast, who))
    assert client.get(f"/projects/{project.pk}/").status_code == 404
    assert client.post(f"/projects/{project.pk}/edit/", {"name": "x"}).status_code == 404
    assert client.post(f"/projects/{project.pk}/delete/").status_code == 404


def test_a_project_whose_corpora_are_gone_says_that_it_reads_none(cast: Cast) -> None:
    own, client = CorpusFactory(personal_of=cast.alice), browser(cast.alice)
    client.post("/projects/", {"name": "Novel", "corpora": [own.pk]})
    project = Project.objects.get()
    own.delete()
    assert "Reads none of your personal corpora" in client.get(f"/projects/{project.pk}/").content.decode()
    assert "are deleted" in client.get(f"/projects/{project.pk}/edit/").content.decode()
    client.post(f"/projects/{project.pk}/edit/", {"name": "Novel"})
    assert "Reads all your personal corpora" in client.get(f"/projects/{project.pk}/").content.decode()
