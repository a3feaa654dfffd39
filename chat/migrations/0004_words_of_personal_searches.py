from django.db import migrations, models
from django.db.models import Exists, OuterRef

PERSONAL = "personal"


def judge(apps, schema_editor):
    """Release what certainly had nothing to do with a personal corpus; whatever cannot be judged stays personal.

    Which corpora were in reach of an old question is not known any more. So all conversations of whoever has, or by
    citations or the audit log ever had, a personal corpus in the organization are taken for personal. A query that a
    model condensed is never released: it may come from what a client sent along.
    """
    Conversation, Citation = apps.get_model("chat", "Conversation"), apps.get_model("chat", "Citation")
    Corpus, AuditEvent = apps.get_model("corpora", "Corpus"), apps.get_model("accounts", "AuditEvent")
    theirs = {"organization": OuterRef("organization"), "owner": OuterRef("owner")}
    owns = Corpus.objects.filter(corpus_type=PERSONAL, **theirs)
    made = AuditEvent.objects.filter(
        organization=OuterRef("organization"), actor=OuterRef("owner"),
        object_type="corpus", action="created", changes__corpus_type=PERSONAL,
    )
    cited = Citation.objects.filter(
        message__conversation__organization=OuterRef("organization"),
        message__conversation__owner=OuterRef("owner"), corpus_type=PERSONAL,
    )
    Conversation.objects.filter(~Exists(owns), ~Exists(made), ~Exists(cited)).update(is_personal=False)


def take_words_back(apps, schema_editor):
    """Of personal traces; the question itself is still in its conversation."""
    Trace = apps.get_model("chat", "Trace")
    Trace.objects.filter(condensed_query="", message__conversation__is_personal=False).update(is_personal=False)
    Trace.objects.filter(is_personal=True).update(query="", condensed_query="")


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0001_initial"),
        ("chat", "0003_answers_of_their_conversation"),
        ("corpora", "0005_remove_error_detail"),
    ]

    operations = [
        migrations.AddField(
            model_name="conversation",
            name="is_personal",
            field=models.BooleanField(default=True, editable=False),
        ),
        migrations.AddField(
            model_name="trace",
            name="is_personal",
            field=models.BooleanField(default=True, editable=False),
        ),
        migrations.RunPython(judge, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(take_words_back, migrations.RunPython.noop, elidable=True),
    ]
