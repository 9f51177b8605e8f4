"""The bench's guided work on the camera over a fan-tan cloth: smaller than that on dice, and alike."""
