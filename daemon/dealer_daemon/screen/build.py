"""One table's view, from what is committed and how its devices are. Pure, and cheap enough for every commit."""

from __future__ import annotations

from dealer_daemon.screen.buttons import buttons_of, keypad_of
from dealer_daemon.screen.due import due_now
from dealer_daemon.screen.felt import felt_of
from dealer_daemon.screen.lines import alarms_of, marks_of, names_of, refusal_of, tries_of
from dealer_daemon.screen.sight import Sight
from dealer_daemon.screen.texts import say
from dealer_daemon.screen.view import View
from dealer_daemon.state import phase_of


def view(sight: Sight) -> View:
    """See the module."""
    phase = phase_of(sight.state)
    return View(
        boot=sight.boot,
        table=sight.state.table,
        language=str(sight.face.config.screen_language),
        game=say("game", sight.face.game.name),
        phase=phase,
        phase_text=say("state", phase),
        names=names_of(sight),
        due=due_now(sight),
        refusal=refusal_of(sight),
        tries=tries_of(sight),
        felt=felt_of(sight.face, sight.state, sight.recall.played),
        marks=marks_of(sight),
        alarms=alarms_of(sight),
        buttons=buttons_of(sight),
        keypad=keypad_of(sight),
        sequence=sight.state.sequence,
    )
