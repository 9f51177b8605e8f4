"""Are the wheel and the dice fair? What published outcomes say of it, and how sure that is.

From the outcomes of a journal (``source``, ``outcomes``) follow the draws that a game's questions ask about
(``games``); ``evidence`` weighs each question so that looking again and again does no harm, ``power`` says what the
number of rounds can show, ``classical`` gives the figures that a text book would. ``health`` puts them together.
"""
