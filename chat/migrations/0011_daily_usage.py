import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0007_retention'),
        ('agents', '0002_confidence_and_evaluation'),
        ('chat', '0010_indexes_of_upkeep'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='DailyUsage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('measure', models.CharField(max_length=12)),
                ('value', models.CharField(blank=True, max_length=40)),
                ('count', models.PositiveIntegerField()),
                ('cost', models.DecimalField(decimal_places=6, help_text='US dollars', max_digits=16, null=True)),
                ('agent', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='agents.agent')),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.organization')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['organization', 'day'], name='daily_usage_of_organization'), models.Index(fields=['day'], name='daily_usage_day')],
            },
        ),
    ]
