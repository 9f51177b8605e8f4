"""A colour wheel, its encoder, and the dealer who spins it."""
