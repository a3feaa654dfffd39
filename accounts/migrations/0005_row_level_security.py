"""The functions that policies ask. The policies themselves follow `accounts.tenancy.rules` after every `migrate`."""

from django.db import migrations

from accounts.tenancy import policies


def apply(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        policies.create_functions(schema_editor.connection)
        policies.apply_rules(schema_editor.connection)


def remove(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        policies.remove_rules(schema_editor.connection)
        policies.drop_functions(schema_editor.connection)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0004_limits_and_tool_calls")]
    operations = [migrations.RunPython(apply, remove)]
