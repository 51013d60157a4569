"""Refused proposals have their time too."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0060_ledger_lines")]

    operations = [
        migrations.AlterField(
            "retention",
            "what",
            models.CharField(
                choices=[
                    ("preference", "Preference"),
                    ("fact", "Fact"),
                    ("decision", "Decision"),
                    ("identifier", "Identifier"),
                    ("messages", "Messages"),
                    ("refused", "Refused"),
                    ("answers", "Answers"),
                    ("trash", "Trash"),
                ],
                max_length=16,
            ),
        ),
    ]
