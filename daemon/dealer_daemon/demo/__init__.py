"""The demonstration: simulated devices of every kind of table, a broker, the station, and what game servers see of it.

Every part is the real one in a process of its own; only the devices are simulated, and those below the transport.
"""
