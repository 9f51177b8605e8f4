"""A fan-tan cloth with its beans, its dealer, and the camera over it (``games.md`` §8)."""
