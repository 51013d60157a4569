class Refused(Exception):
    """We cannot start or go on. The message is one sentence for the operator, without any secret in it."""
