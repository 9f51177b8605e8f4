"""Calibration of a colour wheel: from its encoder's readings to figures and the wheel's file. Pure."""
