"""Keys of do-not-learn entries that a person brought from elsewhere."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_sign_in_links")]

    operations = [
        migrations.AddField(
            "user",
            "brought_keys",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.BinaryField(), db_default=[], default=list, editable=False, size=None
            ),
        ),
    ]
