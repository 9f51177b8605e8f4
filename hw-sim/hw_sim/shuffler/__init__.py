"""Card shufflers, and who stands at them."""
