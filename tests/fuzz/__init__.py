"""Inputs that nobody means to send, to everything that takes some: nothing may raise what is not its documented error.

A *kind* draws cases from a seed and plays them; a case is plain JSON, so that one that fails can be kept as a file in
``kept/`` and is played by the ordinary tests ever after. ``python tests/fuzz/run.py`` (``make fuzz``) plays many.
"""
