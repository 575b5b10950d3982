"""Stand-ins for other people's engines."""
