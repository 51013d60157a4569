"""Lines of the ledger of erasures that are committed and not yet in its file. They name nobody but by random ids."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0046_content_and_staff")]

    operations = [
        migrations.CreateModel(
            name="LedgerLine",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("row", models.JSONField()),
            ],
        ),
    ]
