"""Coming in and leaving: email codes, passkeys, second factors, one-time links, sessions."""
