"""Playing a tournament: the runner, what it records, who observes it, and how it is resumed."""
