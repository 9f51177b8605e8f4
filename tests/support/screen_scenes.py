"""Scenes at every kind of table, made of events: what tests look at, and people in pictures of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from dealer_daemon.events import (
    AttemptHeld,
    AttemptRefused,
    AttemptStarted,
    AttemptUnconfirmed,
    CardWithheld,
    DeviceFaulted,
    DeviceLent,
    EntryAllowed,
    GateWaiting,
    RoundVoided,
    ShoeCutCard,
    TablePaused,
)
from dealer_daemon.games.fan_tan import layout_facts
from dealer_daemon.games.roulette import number_facts
from dealer_daemon.games.sic_bo import dice_facts
from dealer_daemon.screen.sight import DeviceSight
from dealer_daemon.words import Language
from support.screen_play import ScreenPlay, table_config

Scene = Callable[[Language], ScreenPlay]
SCENES: dict[str, Scene] = {}


def scene(made: Scene) -> Scene:
    SCENES[made.__name__] = made  # type: ignore[attr-defined]
    return made


def play(game: str, language: Language, name: str, source: str = "server", **settings: object) -> ScreenPlay:
    return ScreenPlay(table_config(game, name, source, language, **settings))


def refused(reason: str, remedy: str, detail: str = "", attempt: int = 1, **more: Any) -> AttemptRefused:
    return AttemptRefused(reason=reason, remedy=remedy, attempt=attempt, detail=detail, evidence=[], **more)


@scene
def baccarat_third_card(language: Language) -> ScreenPlay:
    return play("baccarat", language, "b1").shoe().open().close().cards("2S 5C 2D QH")


@scene
def baccarat_rescan(language: Language) -> ScreenPlay:
    table = play("baccarat", language, "b1").shoe().open().close().cards("2S 5C 2D QH")
    table.say(ShoeCutCard(shoe_id="b1-shoe-1", hand_in_shoe=1))
    return table.say(refused("readers_disagree", "rescan", position="player.3"))


@scene
def baccarat_result(language: Language) -> ScreenPlay:
    return play("baccarat", language, "b1").shoe().open().close().cards("8S 5C AD TH").outcome()


@scene
def baccarat_withheld(language: Language) -> ScreenPlay:
    table = play("baccarat", language, "b2", early="withhold").shoe().open()
    places = ("player.1", "banker.1", "player.2")
    cards = ("8S", "5C", "AD")
    return table.say(*(CardWithheld(position=where, card=card) for where, card in zip(places, cards, strict=True)))


@scene
def baccarat_gate(language: Language) -> ScreenPlay:
    table = play("baccarat", language, "b3", gates=["first_four"]).shoe().open().close().cards("2S 5C 2D QH")
    return table.say(GateWaiting(gate="first_four", seen={}))


@scene
def dragon_tiger(language: Language) -> ScreenPlay:
    return play("dragon-tiger", language, "d1").shoe().open().close().cards("KH")


@scene
def niu_niu(language: Language) -> ScreenPlay:
    return play("niu-niu", language, "n1").shoe(1).open().close().cards("AS 2S 3S 4S 5S 6S 7H 8H 9H TH JH QC")


@scene
def niu_niu_result(language: Language) -> ScreenPlay:
    cards = "AS 2S 3S 4S 5S 6S 7H 8H 9H TH JH QC KC AC 2C 3C 4D 5D 6D 7D 8D"
    return play("niu-niu", language, "n1").shoe(1).open().close().cards(cards).outcome()


@scene
def three_cards(language: Language) -> ScreenPlay:
    return (
        play("three-cards", language, "c1")
        .shoe(1)
        .open()
        .close()
        .cards("9S 9H 4D TC KS")
        .say(
            refused("no_read", "rescan", position="second.3"),
            refused("partial", "rescan", attempt=2, position="second.3"),
        )
    )


@scene
def three_cards_paused(language: Language) -> ScreenPlay:
    table = three_cards(language).say(refused("no_read", "rescan", attempt=3, position="second.3"))
    return table.say(TablePaused(reason="tries_exhausted", by="station", detail="3 attempts in a row were refused"))


@scene
def blackjack(language: Language) -> ScreenPlay:
    from dealer_daemon.events import CardExpected

    table = play("blackjack", language, "j1", rules="classic-001").shoe().open().close()
    table.say(CardExpected(args={"action": "seats", "seats": [1, 3, 5]})).cards("8S 7H AD TC 8D 9S KH")
    table.say(CardExpected(args={"action": "split", "seat": 1, "hand": 1})).cards("4S")
    return table


@scene
def holdem(language: Language) -> ScreenPlay:
    table = play("holdem", language, "h1").shoe(1).open().close().cards("AS KS 4H 9D KC")
    return table.say(GateWaiting(gate="call", seen={}))


@scene
def holdem_result(language: Language) -> ScreenPlay:
    from dealer_daemon.events import GateOpened

    table = holdem(language).say(GateOpened(gate="call")).cards("QH QD 2C 7S")
    return table.outcome()


@scene
def san_gong(language: Language) -> ScreenPlay:
    return play("san-gong", language, "g1").shoe(1).open().close().cards("KS 7H 9D 2C")


@scene
def koi(language: Language) -> ScreenPlay:
    return play("koi", language, "k1").shoe(1).open().close().cards("KS 7H 9D 2C TS TH").outcome()


@scene
def brawl(language: Language) -> ScreenPlay:
    return play("brawl", language, "l1").shoe(1).open()


@scene
def andar_bahar(language: Language) -> ScreenPlay:
    from dealer_daemon.events import GateOpened

    table = play("andar-bahar", language, "a1").shoe(1).open().cards("7S").close()
    table.say(GateOpened(gate="second_bets"))
    return table.cards("2S 3S 4S 5S 6S 8H 9H TH JH QC KC AC 2C 3C 4D")


@scene
def roulette_throw(language: Language) -> ScreenPlay:
    return play("roulette", language, "r1").open().close()


@scene
def roulette_refused(language: Language) -> ScreenPlay:
    table = play("roulette", language, "r1").open().close()
    return table.say(
        AttemptStarted(attempt=1),
        refused("too_few_laps", "rethrow", "the ball made 5 of 7 laps", figures={"seen": 5, "needed": 7}),
    )


@scene
def roulette_confirm(language: Language) -> ScreenPlay:
    table = play("roulette", language, "r1").open().close().say(AttemptStarted(attempt=1))
    facts = number_facts("17") | {"laps": None}
    return table.say(AttemptUnconfirmed(attempt=1, facts=facts, detail="was the spin valid?", evidence=[]))


@scene
def roulette_result(language: Language) -> ScreenPlay:
    table = play("roulette", language, "r1").open().close().say(AttemptStarted(attempt=1))
    return table.outcome(**number_facts("32"), laps=9)


@scene
def roulette_held(language: Language) -> ScreenPlay:
    table = play("roulette", language, "r1").open().close().say(AttemptStarted(attempt=1))
    return table.say(AttemptHeld(reason="witnesses_disagree", attempt=1, detail="", seen={}, evidence=[]))


@scene
def roulette_troubles(language: Language) -> ScreenPlay:
    table = play("roulette", language, "r1").open()
    table.say(DeviceFaulted(device="wheel", fault="silent", detail=""))
    table.sight = replace(table.sight, heard=False)
    return table


@scene
def roulette_betting(language: Language) -> ScreenPlay:
    return play("roulette", language, "r1", spin={"launch": "any"}).open()


@scene
def roulette_keypad(language: Language) -> ScreenPlay:
    table = play("roulette", language, "r2").open().close().say(EntryAllowed(reason="sensor down", by="manager-1"))
    face = replace(table.sight.face, entry_device="keys", entry_socket="/nowhere/r2.sock")
    table.sight = replace(table.sight, face=face)
    return table


@scene
def sic_bo_shake(language: Language) -> ScreenPlay:
    return play("sic-bo", language, "s1").open().close()


@scene
def sic_bo_refused(language: Language) -> ScreenPlay:
    table = play("sic-bo", language, "s1").open().close().say(AttemptStarted(attempt=1))
    return table.say(refused("stacked", "reshake"))


@scene
def sic_bo_result(language: Language) -> ScreenPlay:
    return play("sic-bo", language, "s1").open().close().say(AttemptStarted(attempt=1)).outcome(**dice_facts([1, 4, 6]))


@scene
def sic_bo_keypad(language: Language) -> ScreenPlay:
    table = play("sic-bo", language, "s2").open().close()
    face = replace(table.sight.face, by_hand=True, entry_device="keys", entry_socket="/nowhere/s2.sock")
    table.sight = replace(table.sight, face=face)
    return table


@scene
def rainbow_spin(language: Language) -> ScreenPlay:
    return play("rainbow-wheel", language, "w1").open().close().say(AttemptStarted(attempt=1))


@scene
def rainbow_refused(language: Language) -> ScreenPlay:
    table = play("rainbow-wheel", language, "w1").open().close().say(AttemptStarted(attempt=1))
    return table.say(
        refused("too_few_turns", "respin", "the wheel made 2.41 of 3 turns", figures={"seen": 2.41, "needed": 3})
    )


@scene
def rainbow_result(language: Language) -> ScreenPlay:
    table = play("rainbow-wheel", language, "w1").open().close().say(AttemptStarted(attempt=1))
    return table.outcome(segment=17, color="pink", turns=4.2)


@scene
def fan_tan_lay(language: Language) -> ScreenPlay:
    return play("fan-tan", language, "f1").open().close()


@scene
def fan_tan_refused(language: Language) -> ScreenPlay:
    table = play("fan-tan", language, "f1").open().close().say(AttemptStarted(attempt=1))
    return table.say(refused("beans_touch", "rearrange"))


@scene
def fan_tan_result(language: Language) -> ScreenPlay:
    table = play("fan-tan", language, "f1").open().close().say(AttemptStarted(attempt=1))
    return table.outcome(**layout_facts(47, 12, 3))


@scene
def paused_question(language: Language) -> ScreenPlay:
    table = play("baccarat", language, "b1", "device").shoe()
    return table.say(TablePaused(reason="unseen_between_hands", by="station", detail=""))


@scene
def maintenance(language: Language) -> ScreenPlay:
    table = play("roulette", language, "r1")
    table.say(TablePaused(reason="maintenance", by="station", detail=""))
    table.say(DeviceLent(device="wheel", by="the technician", pause=table.sight.state.sequence))
    table.sight = replace(table.sight, devices={"wheel": DeviceSight("stopped")})
    return table


@scene
def stalled(language: Language) -> ScreenPlay:
    table = roulette_throw(language)
    table.sight = replace(table.sight, stalled="the disk is full")
    return table


@scene
def voided(language: Language) -> ScreenPlay:
    return (
        play("roulette", language, "r1")
        .open()
        .close()
        .say(RoundVoided(reason="the wheel stopped", by="manager-1", seen={}))
    )
