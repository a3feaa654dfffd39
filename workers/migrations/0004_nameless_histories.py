import json

from django.db import migrations

UNNAMED = "…"  # as `accounts.admin.rows` writes it since


def forget_names(apps, schema_editor):
    """Of rows that were added, changed or deleted inside another one's page: what is erased leaves no name there."""
    LogEntry = apps.get_model("admin", "LogEntry")
    for entry in LogEntry.objects.filter(change_message__contains='"object"').iterator():
        try:
            said = json.loads(entry.change_message)
            inner = [what for one in said for what in one.values() if "object" in what]
        except (ValueError, AttributeError, TypeError):
            continue  # words of somebody's own, not Django's
        for what in inner:
            what["object"] = UNNAMED
        LogEntry.objects.filter(pk=entry.pk).update(change_message=json.dumps(said))


class Migration(migrations.Migration):

    dependencies = [
        ("admin", "0003_logentry_add_action_flag_choices"),
        ("workers", "0003_claims"),
    ]

    operations = [migrations.RunPython(forget_names, migrations.RunPython.noop)]
