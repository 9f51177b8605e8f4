"""The bench's guided work on a calibrated dice rig: what is measured, judged and said. Pure but for ``guide``."""
