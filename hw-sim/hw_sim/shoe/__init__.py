"""Card shoes, scanners, and the dealer who draws from them."""
