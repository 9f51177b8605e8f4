"""Dice in a dome: shakers, the camera above them, and the pictures that it takes."""
