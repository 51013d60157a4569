"""The person's own pages."""
