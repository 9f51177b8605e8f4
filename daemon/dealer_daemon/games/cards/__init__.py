"""The card games as pure rules: which card goes where, when the round is complete, which facts follow.

One module a game, each with ``GAME_NAME``, ``Settings`` and ``make(settings)``; ``procedure.py`` is the one
interface that all of them give.
"""
