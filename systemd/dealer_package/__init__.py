"""The Debian package of the station: what lies in it, where, and how it is put together.

``python -m dealer_package build`` makes it, ``pages`` the man pages and completions alone.
"""
