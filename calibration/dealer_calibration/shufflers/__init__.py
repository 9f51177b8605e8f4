"""A shuffler proved step by step: what it must say of a whole set, of one that is not, and of an opened door."""
