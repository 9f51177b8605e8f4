"""Card tables."""
