"""How the store changes: the only writers, one verb a file."""
