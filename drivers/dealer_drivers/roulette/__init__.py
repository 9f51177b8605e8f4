"""Roulette wheels."""
