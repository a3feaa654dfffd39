import django.db.models.deletion
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='organization',
            name='requires_two_factor',
            field=models.BooleanField(default=False, help_text='Members without a second factor are led to set one up before anything else.', verbose_name='requires two-factor sign-in'),
        ),
        migrations.AddField(
            model_name='apikey',
            name='expires_at',
            field=models.DateTimeField(editable=False, null=True, verbose_name='expires'),
        ),
        migrations.AddField(
            model_name='apikey',
            name='last_used_from',
            field=models.GenericIPAddressField(editable=False, null=True, verbose_name='last used from'),
        ),
        migrations.CreateModel(
            name='SignIn',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name='created')),
                ('session_key', models.CharField(editable=False, max_length=40, unique=True)),
                ('last_seen_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('seen_from', models.GenericIPAddressField(null=True)),
                ('browser', models.CharField(blank=True, max_length=80)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sign_ins', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('-last_seen_at',),
            },
        ),
    ]
