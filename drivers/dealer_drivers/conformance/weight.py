"""How much memory a session holds."""

from __future__ import annotations

import gc
import sys
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType

CODE = (type, ModuleType, BuiltinFunctionType)


def weight(thing: object) -> int:
    """Bytes of ``thing`` and of all that is reached from it; code and modules are not counted."""
    total = 0
    known: set[int] = set()
    ahead = [thing]
    while ahead:
        one = ahead.pop()
        if id(one) in known or isinstance(one, CODE):
            continue
        known.add(id(one))
        if isinstance(one, FunctionType):
            ahead += [cell.cell_contents for cell in one.__closure__ or () if _filled(cell)]
        elif isinstance(one, MethodType):
            ahead.append(one.__self__)
        else:
            total += sys.getsizeof(one)
            ahead += gc.get_referents(one)
    return total


def _filled(cell: object) -> bool:
    return bool(gc.get_referents(cell))
