"""What the conformance suite is told of each of our drivers: one file a driver, named as it is.

A file has ``examples(folder)``, and ``prepare(folder)`` where its options name files: it writes them. What devices say
is written here from their descriptions, not by the drivers' own code.
"""
