"""Engines in other places: a native engine over TCP, and engines that think in single drops."""
