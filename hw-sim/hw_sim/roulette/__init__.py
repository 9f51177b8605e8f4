"""Roulette wheels: the ball's course, the rotor, and what two makes of wheel say about them."""
