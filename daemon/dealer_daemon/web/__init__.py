"""What the daemon serves over HTTP: one listener for pages and figures alike, in the station's own event loop."""

from dealer_daemon.web.server import BindError, Listen, WebServer

__all__ = ["BindError", "Listen", "WebServer"]
