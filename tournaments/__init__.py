"""Tournaments on top of the referee: schedules, tables, the runner and the command line."""
