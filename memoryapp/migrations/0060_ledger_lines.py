"""Lines of the ledger of erasures that are committed and not yet in its file. They name nobody but by random ids."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0055_conversation_named_by_grant")]

    operations = [
        migrations.CreateModel(
            name="LedgerLine",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("row", models.JSONField()),
            ],
        ),
    ]
