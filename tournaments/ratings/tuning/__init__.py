"""Tuning: the options of an engine, chosen by its games."""
