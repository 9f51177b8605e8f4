"""A table that plays as a shadow, compared with what the studio's other system says of the same rounds.

``theirs`` reads the other system's results, ``ours`` the journal's export, ``pairing`` says which of them are of one
round, by time alone, ``compare`` what they say of it, ``page`` shows it.
"""
