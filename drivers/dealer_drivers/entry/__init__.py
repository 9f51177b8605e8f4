"""Results that people key in (``games.md`` §9)."""
