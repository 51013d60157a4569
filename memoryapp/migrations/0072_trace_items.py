"""What a trace keeps of its candidates is written as it is: packing it took a third of the insert, and saved a fifth."""

from django.db import migrations

_STORAGE = "alter table memoryapp_retrievaltrace alter column items set storage {}"


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0071_analysis")]

    operations = [migrations.RunSQL(_STORAGE.format("external"), _STORAGE.format("extended"))]
