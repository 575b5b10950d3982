"""Who wins with perfect play, proved by search."""
