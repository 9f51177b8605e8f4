"""The scoreboard of a baccarat shoe: bead plate, big road, the three roads derived from it, what each would get next,
and the patterns that players call good roads (rule books 003 and 004). Pure: hands in, roads out.
"""

from dealer_daemon.roads.big import ROWS, drawn
from dealer_daemon.roads.board import Board, board
from dealer_daemon.roads.hand import Hand, Side, hand_of

__all__ = ["ROWS", "Board", "Hand", "Side", "board", "drawn", "hand_of"]
