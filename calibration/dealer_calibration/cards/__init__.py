"""A reader of cards proved on a whole deck or shoe: how many of its cards it reads, which not, and which wrongly.

``tally`` counts readings, ``order`` compares them with the order in which the cards passed, ``findings`` says what both
mean, ``passing`` hears them from the device.
"""
