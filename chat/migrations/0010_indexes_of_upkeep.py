from django.db import migrations, models

from accounts.tenancy.postgresql.online import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False  # indexes that are made while everybody goes on writing

    dependencies = [
        ('agents', '0002_confidence_and_evaluation'),
        ('chat', '0009_quotes_of_citations'),
    ]

    operations = [
        AddIndexOnline(
            model_name='message',
            index=models.Index(fields=['created_at'], name='message_created'),
        ),
        AddIndexOnline(
            model_name='trace',
            index=models.Index(fields=['created_at'], name='trace_created'),
        ),
        AddIndexOnline(
            model_name='trace',
            index=models.Index(fields=['agent', 'created_at'], name='trace_of_agent'),
        ),
    ]
