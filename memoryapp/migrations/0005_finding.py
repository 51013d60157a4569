"""What a search on the page looks through: one folded column beside each memory's words, in every script."""

from django.db import migrations

# One function for both sides, the column and what was typed, so that they fold alike whatever the server can do.
# It calls what is in pg_catalog only: a restore computes the column with an empty search path.
# Full case mapping is PostgreSQL 18's own or ICU's; without either the database's locale has to do. Mapping up first
# makes one of "ß" and "SS". Gone are the marks of Latin, Greek, Cyrillic, Hebrew and Arabic, and what is invisible.
FINDABLE = r"""
do $do$
declare
    best text := coalesce(
        (select format('collate %%I.%%I', nspname, collname) from pg_collation
            join pg_namespace on pg_namespace.oid = collnamespace
            where collname in ('pg_unicode_fast', 'und-x-icu')
            order by collname limit 1),
        ''
    );
begin
    execute format(
        $function$
        create function findable(parts text[]) returns text language sql immutable parallel safe as $body$
            select regexp_replace(
                replace(lower(upper(normalize(array_to_string(parts, E'\n'), NFKD) %1$s) %1$s), 'ς', 'σ'),
                '[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u00ad\u200b-\u200f\u202a-\u202e'
                    '\u2060-\u2064\u2066-\u2069\ufeff]',
                '', 'g'
            )
        $body$
        $function$,
        best
    );
end $do$;
"""

COLUMN = """
alter table memoryapp_memory add column find_text text collate "C" not null
    generated always as (findable(array[text, subject::text, source] || aliases::text[])) stored
"""


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0004_row_security")]

    operations = [
        migrations.RunSQL(FINDABLE.replace("%%I", "%I"), "drop function findable(text[])"),
        migrations.RunSQL(COLUMN, "alter table memoryapp_memory drop column find_text"),
    ]
