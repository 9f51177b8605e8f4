"""The ``acl`` section of ejabberd.yml and the access options of ``mod_mqtt`` (docs.ejabberd.im, "mod_mqtt").

ejabberd asks by topic: each topic filter has a list of who is allowed, a topic that no filter matches is refused, and
an empty list of filters would allow everything; ours always holds the station's. Users are ``name@host``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from dealer_daemon.acl.rules import Grant

_HEAD = """\
# Access for ejabberd's MQTT, written by `dealer-daemon acl ejabberd`: change the configuration or the list of clients,
# and write it again. Put `acl` beside your own, and the two options into your `mod_mqtt`. ejabberd writes users in
# lower case: two that differ in nothing else are one.
"""


def ejabberd_acl(grants: Iterable[Grant], host: str) -> str:
    """The sections as YAML. ``host`` is the virtual host of the users."""
    known = list(grants)
    lines = [_HEAD + "acl:"]
    for grant in known:
        lines += [f"  {_name(grant)}:", f"    user: {json.dumps(f'{grant.user}@{host}')}"]
    lines += ["modules:", "  mod_mqtt:"]
    lines += _access("access_publish", known, [grant.write for grant in known])
    lines += _access("access_subscribe", known, [grant.read for grant in known])
    return "\n".join(lines) + "\n"


def _access(option: str, grants: Sequence[Grant], filters: Sequence[Sequence[str]]) -> list[str]:
    allowed: dict[str, list[str]] = {}
    for grant, topics in zip(grants, filters, strict=True):
        for topic in dict.fromkeys(topics):
            allowed.setdefault(topic, []).append(_name(grant))
    lines = [f"    {option}:"]
    for topic, names in allowed.items():
        lines.append(f"      {json.dumps(topic, ensure_ascii=False)}:")
        lines += [f"        - allow: {name}" for name in names]
    return lines


def _name(grant: Grant) -> str:
    return f"dealer_{grant.user}"
