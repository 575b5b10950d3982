"""Rules on games: outcomes, faults, clocks, deadlines and records."""
