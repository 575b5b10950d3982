"""Bridges to engines: a native engine over TCP, and engines that play single drops."""
