"""The demonstration: a simulated wheel, a broker, the station, and what a game server would see of it.

Every part is the real one in a process of its own; only the wheel is simulated, and that below the transport.
"""
