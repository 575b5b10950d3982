"""The referee side: two engine processes, one game, an outcome that our own rules stand for."""
