"""The terminal: playing at a prompt, and watching a tournament live."""
