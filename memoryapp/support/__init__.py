"""The support desk: from a ticket to its cause, with no more of anybody's memory than the ticket needs."""
