"""Calibration of a roulette wheel: from its readings to figures, findings and the curve of laps. Pure."""
