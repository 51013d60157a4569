"""Reports of persons, and finding what a report or a ticket names: an answer, a session."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import accounts.ids

SECURE = """
alter table memoryapp_report enable row level security, force row level security;
create policy one_person on memoryapp_report using (is_open(person_id)) with check (is_own(person_id));
"""
OPEN_UP = """
drop policy one_person on memoryapp_report;
alter table memoryapp_report no force row level security, disable row level security;
"""

OWNER = """
create function report_owner(read_out text) returns uuid language plpgsql as $$
declare
    former text := coalesce(current_setting('app.wide', true), '');
    owner uuid;
begin
    perform set_config('app.wide', 'owner', true);
    select person_id into owner from memoryapp_report where reference = read_out;
    perform set_config('app.wide', former, true);
    return owner;
end $$;
"""

# An agent's name of an answer or a session is unique per agent at most: so there may be several, latest first.
FOUND = """
create function {name} returns table (person_id uuid, trace_id uuid) language plpgsql as $$
declare
    former text := coalesce(current_setting('app.wide', true), '');
begin
    perform set_config('app.wide', 'owner', true);
    return query {query} limit 50;
    perform set_config('app.wide', former, true);
end $$;
"""
FIND = {
    "traces_of_answer(agents_id text)": (
        "select found.person_id, found.trace_id from memoryapp_answer found"
        " where found.answer_id = agents_id order by found.trace_id desc"
    ),
    "traces_of_session(agents_id text)": (
        "select found.person_id, found.id from memoryapp_retrievaltrace found"
        " where found.session = agents_id order by found.created_at desc"
    ),
}


class Migration(migrations.Migration):
    dependencies = [
        ("memoryapp", "0008_bulk_run_security"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Report",
            fields=[
                ("id", models.UUIDField(default=accounts.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ("reference", models.CharField(help_text="`R-7K4M-2QXD`", max_length=16)),
                ("about", models.CharField(choices=[("answer", "Answer"), ("access", "Access")], max_length=8)),
                ("trace_id", models.UUIDField(null=True)),
                ("event_id", models.UUIDField(null=True)),
                (
                    "wrong",
                    models.CharField(
                        choices=[
                            ("untrue", "Untrue"),
                            ("unwanted", "Unwanted"),
                            ("missing", "Missing"),
                            ("other", "Other"),
                        ],
                        max_length=8,
                        null=True,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("open", "Open"), ("taken", "Taken"), ("closed", "Closed")],
                        default="open",
                        max_length=8,
                    ),
                ),
                ("opened_at", models.DateTimeField()),
                ("state_at", models.DateTimeField(help_text="Since when it is in this state.")),
                (
                    "person",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(models.F("person"), models.F("opened_at"), name="report_by_person")],
                "constraints": [
                    models.UniqueConstraint(models.F("reference"), name="report_reference_once"),
                    models.UniqueConstraint(
                        models.F("person"),
                        models.F("about"),
                        models.F("trace_id"),
                        condition=models.Q(("state", "closed"), _negated=True),
                        name="report_on_trace_open_once",
                    ),
                    models.UniqueConstraint(
                        models.F("person"),
                        models.F("event_id"),
                        condition=models.Q(("state", "closed"), _negated=True),
                        name="report_on_event_open_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("about", "answer"),
                                ("event_id__isnull", True),
                                ("trace_id__isnull", False),
                                ("wrong__isnull", False),
                            ),
                            models.Q(
                                models.Q(("trace_id__isnull", True), ("event_id__isnull", True), _connector="XOR"),
                                ("about", "access"),
                                ("wrong__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="report_is_about_one_thing",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ("open", "taken", "closed"))), name="report_state_known"
                    ),
                ],
            },
        ),
        migrations.AddIndex("answer", models.Index("answer_id", name="answer_by_name")),
        migrations.AddIndex(
            "retrievaltrace",
            models.Index("session", condition=models.Q(session__isnull=False), name="trace_by_session"),
        ),
        migrations.AddIndex(
            "auditevent",
            models.Index("at", condition=models.Q(verb__in=("leak_found", "check_leaks")), name="audit_leaks"),
        ),
        migrations.RunSQL(SECURE, OPEN_UP),
        migrations.RunSQL(OWNER, "drop function report_owner(text)"),
        *[
            migrations.RunSQL(FOUND.format(name=name, query=query), f"drop function {name}")
            for name, query in FIND.items()
        ],
    ]
