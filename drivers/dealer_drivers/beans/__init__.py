"""Fan-tan beans from pictures of the cloth (``games.md`` §8)."""
