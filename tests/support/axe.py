"""axe-core over a page: what keeps people from reading or using it."""

from __future__ import annotations

import json
from pathlib import Path

from support.browser import Page

AXE = Path(__file__).parents[1] / "js/node_modules/axe-core/axe.min.js"
ABSENT = "no axe-core: `make test` installs it"

_RUN = """axe.run(document, {resultTypes: ['violations']}).then((found) => JSON.stringify(found.violations
    .filter((one) => ['serious', 'critical'].includes(one.impact))
    .map((one) => [one.id, one.nodes.map((node) => node.target.join(' ') + ': ' + node.failureSummary)])))"""


async def serious(page: Page) -> list[object]:
    """What axe calls serious or critical; it is put into the page past its content policy."""
    if not await page.run("typeof axe === 'object'"):
        await page.run(AXE.read_text() + "; true")
    found: list[object] = json.loads(await page.run(_RUN))
    return found
