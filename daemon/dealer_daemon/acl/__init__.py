"""Access lists for brokers, made from the station's configuration and a list of clients.

A broker tells topics apart and nothing else: who may publish where is the whole of it. ``rules`` says it once, as topic
filters; ``mosquitto`` and ``ejabberd`` write it in their brokers' words. Pure but for the reading of the client list.
"""

from __future__ import annotations

from dealer_daemon.acl.clients import Client, Clients, ClientsError, read_clients
from dealer_daemon.acl.ejabberd import ejabberd_acl
from dealer_daemon.acl.mosquitto import mosquitto_acl
from dealer_daemon.acl.rules import Grant, grants, grants_of_all

__all__ = [
    "Client",
    "Clients",
    "ClientsError",
    "Grant",
    "ejabberd_acl",
    "grants",
    "grants_of_all",
    "mosquitto_acl",
    "read_clients",
]
