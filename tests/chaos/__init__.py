"""Everything that can go wrong at once, the history of what came of it, and a checker of the promise over it."""
