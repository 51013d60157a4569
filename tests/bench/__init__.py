"""The benchmark: `make bench`, or `python -m tests.bench [--million]`. It prints a table and whether the targets hold.

It makes stores of its own, one database each beside the others on one server, serves each with `manage.py up`, and
removes everything at the end. The server is an embedded one in a temporary folder, or the one that DATABASE_URL names,
whose role must be allowed to create databases.
"""
