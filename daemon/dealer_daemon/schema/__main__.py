"""``python -m dealer_daemon.schema DIR`` writes DIR/schemas/*.json and the pages that are made from the types:
DIR/reasons.md, DIR/alerts.md, DIR/metrics.md and DIR/configuration-options.md."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from dealer_daemon.schema import DOCUMENTS
from dealer_daemon.schema.alerts import alerts_page
from dealer_daemon.schema.metrics import metrics_page
from dealer_daemon.schema.options import options_page
from dealer_daemon.words import reference


def files() -> dict[str, str]:
    """What belongs into ``docs/reference``: path below it, and text."""
    made = {
        f"schemas/{name}.json": json.dumps(document(), indent=2, ensure_ascii=False) + "\n"
        for name, document in DOCUMENTS.items()
    }
    return {
        **made,
        "reasons.md": reference(),
        "alerts.md": alerts_page(),
        "metrics.md": metrics_page(),
        "configuration-options.md": options_page(),
    }


def main(folder: Path) -> None:
    """Writes them, and says so."""
    for name, text in files().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
