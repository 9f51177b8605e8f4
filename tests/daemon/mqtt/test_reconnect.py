"""Which version is tried next, and how long we wait."""

from __future__ import annotations

from dealer_daemon.mqtt.errors import Ending
from dealer_daemon.mqtt.reconnect import MqttVersion, ReconnectPolicy

V5, V311 = MqttVersion.V5, MqttVersion.V311


def policy(protocol: str = "auto") -> ReconnectPolicy:
    return ReconnectPolicy(protocol, 0.5, 15.0, 30.0)  # type: ignore[arg-type]


def test_an_unanswered_version_5_is_followed_by_3_1_1_at_once_and_then_both_alternate() -> None:
    p = policy()
    tried, waits = [], []
    for _ in range(6):
        tried.append(p.version)
        waits.append(p.failed(Ending.NO_ANSWER).wait_s)
    assert tried == [V5, V311, V5, V311, V5, V311]
    assert waits == [0.0, 0.5, 0.0, 1.0, 0.0, 2.0]


def test_a_broker_that_is_not_there_says_nothing_about_versions() -> None:
    p = policy()
    waits = [p.failed(Ending.UNREACHABLE).wait_s for _ in range(8)]
    assert p.version is V5
    assert waits == [0.5, 1, 2, 4, 8, 15, 15, 15]


def test_what_worked_is_remembered_over_losses() -> None:
    p = policy()
    p.failed(Ending.VERSION_REFUSED)
    assert p.version is V311
    p.connected()
    p.ended(Ending.LOST, 60)
    assert p.version is V311
    p.failed(Ending.UNREACHABLE)
    assert p.version is V311


def test_a_frozen_broker_does_not_make_us_forget_the_version_that_worked() -> None:
    p = policy()
    p.connected()
    p.ended(Ending.LOST, 60)
    assert [p.failed(Ending.NO_ANSWER).wait_s > 0 for _ in range(2)] == [True, True]
    assert p.version is V5
    assert p.failed(Ending.NO_ANSWER).wait_s == 0  # a third time: perhaps it was replaced by an older one
    assert p.version is V311


def test_a_refused_version_is_left_even_if_it_worked_before() -> None:
    p = policy()
    p.connected()
    assert p.failed(Ending.VERSION_REFUSED).wait_s == 0
    assert p.version is V311


def test_a_chosen_version_is_never_changed() -> None:
    for protocol, version in (("5", V5), ("3.1.1", V311)):
        p = policy(protocol)
        waits = [p.failed(Ending.NO_ANSWER).wait_s, p.failed(Ending.VERSION_REFUSED).wait_s]
        assert p.version is version
        assert waits == [0.5, 1.0]


def test_refused_credentials_wait_for_a_person() -> None:
    for ending in (Ending.REFUSED, Ending.CREDENTIALS, Ending.TLS):
        assert policy().failed(ending).wait_s == 30.0


def test_a_steady_session_starts_the_backoff_anew_and_a_short_one_does_not() -> None:
    p = policy()
    for _ in range(5):
        p.failed(Ending.UNREACHABLE)
    p.connected()
    assert p.ended(Ending.LOST, 1.0).wait_s == 15.0
    p.connected()
    assert p.ended(Ending.LOST, 5.0).wait_s == 0.5


def test_being_kicked_is_noticed_with_and_without_the_reason_code() -> None:
    p = policy()
    following = p.ended(Ending.TAKEN_OVER, 100.0)
    assert (following.kicked, following.wait_s) == (True, 30.0)
    p = policy("3.1.1")
    seen = [p.ended(Ending.LOST, 0.2) for _ in range(3)]
    assert [each.kicked for each in seen] == [False, False, True]
    assert seen[-1].wait_s == 30.0


def test_a_broker_that_says_another_reason_is_no_kick() -> None:
    p = policy()
    seen = [p.ended(Ending.SENT_AWAY, 0.2) for _ in range(6)]
    assert not any(each.kicked for each in seen)
    assert [each.wait_s for each in seen] == [0.5, 1, 2, 4, 8, 15]


def test_a_broker_that_restarts_again_and_again_is_no_kick() -> None:
    p = policy()
    for _ in range(5):
        assert not p.ended(Ending.LOST, 0.2).kicked
        p.failed(Ending.UNREACHABLE)
