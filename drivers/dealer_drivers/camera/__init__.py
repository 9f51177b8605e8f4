"""A camera in a process of its own: it opens, reads pictures, decodes them, and sends what it saw as short lines.

Pictures never reach the station's process: a camera that hangs, a library that aborts and the memory that pictures
need are the child's (``devices.md`` §7).
"""
