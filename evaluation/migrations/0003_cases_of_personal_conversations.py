from django.db import migrations


def give_back(apps, schema_editor):
    """Cases copied from conversations that may be about somebody's own documents: question and comment are their
    user's, in whose conversation they still are."""
    Question = apps.get_model("evaluation", "Question")
    Question.objects.filter(message__conversation__is_personal=True).delete()


class Migration(migrations.Migration):

    dependencies = [
        ("chat", "0004_words_of_personal_searches"),
        ("evaluation", "0002_leases"),
    ]

    operations = [
        migrations.RunPython(give_back, migrations.RunPython.noop, elidable=True),
    ]
