"""What a display beside a table shows of it: the roads of a baccarat shoe, the last results, and how often each came.

Pure: a fold over a table's committed events, and a body made from it (decision 0040).
"""

from dealer_daemon.boards.body import BoardBody
from dealer_daemon.boards.build import board_body
from dealer_daemon.boards.kept import FOLDED, KEPT_PLAYS, Kept, Play, keep

__all__ = ["FOLDED", "KEPT_PLAYS", "BoardBody", "Kept", "Play", "board_body", "keep"]
