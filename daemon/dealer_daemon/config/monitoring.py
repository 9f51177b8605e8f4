"""Where the station's figures may be served: on loopback, unless it is said in as many words."""

from __future__ import annotations

from collections.abc import Iterator

from dealer_daemon.config.screen import listen_address
from dealer_daemon.config.types import MonitoringConfig, ScreenConfig


def monitoring_problems(monitoring: MonitoringConfig, screen: ScreenConfig | None) -> Iterator[tuple[str, str]]:
    """Everything that cannot be about ``[monitoring]``, as (key, reason)."""
    if monitoring.listen is None:
        if monitoring.off_loopback:
            yield "off_loopback", "is of no use without listen"
        return
    try:
        address = listen_address(monitoring.listen)
    except ValueError as error:
        yield "listen", str(error)
        return
    if screen is not None and screen.listen == monitoring.listen:
        yield "listen", "the screen is served there; choose another port"
    if not address.on_loopback and not monitoring.off_loopback:
        reason = f"other machines reach {address.host}, and nobody is asked who they are; listen on 127.0.0.1, or say"
        yield "listen", f"{reason} off_loopback = true"
