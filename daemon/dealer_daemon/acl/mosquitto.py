"""An ``acl_file`` of mosquitto (mosquitto.conf(5)). What no line allows is refused, and anonymous users get nothing."""

from __future__ import annotations

from collections.abc import Iterable

from dealer_daemon.acl.rules import Grant

_HEAD = """\
# Access list for mosquitto, written by `dealer-daemon acl mosquitto`: change the configuration or the list of clients,
# and write it again. What no line allows is refused. In mosquitto.conf: allow_anonymous false, and acl_file with this
# file. MQTT 3.1.1 has no way to refuse a message: mosquitto acknowledges it and gives it to nobody.
"""


def mosquitto_acl(grants: Iterable[Grant]) -> str:
    """The file's text."""
    parts = [_HEAD]
    for grant in grants:
        both = [topic for topic in grant.write if topic in grant.read]
        lines = [f"user {grant.user}"]
        lines += [f"topic readwrite {topic}" for topic in both]
        lines += [f"topic write {topic}" for topic in grant.write if topic not in both]
        lines += [f"topic read {topic}" for topic in grant.read if topic not in both]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)
