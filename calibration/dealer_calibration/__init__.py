"""The technicians' bench."""
