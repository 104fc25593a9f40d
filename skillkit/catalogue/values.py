"""Values: whether what a run returned is what was stated."""

import math
from typing import Any


def same_value(found: Any, stated: Any) -> bool:
    """Return whether two plain values are equal; floats to a relative 1e-4, NaN equal to NaN."""
    if isinstance(found, list) and isinstance(stated, list):
        return len(found) == len(stated) and all(map(same_value, found, stated))
    if isinstance(found, dict) and isinstance(stated, dict):
        return found.keys() == stated.keys() and all(same_value(found[key], stated[key]) for key in found)
    if isinstance(found, bool) or isinstance(stated, bool):
        return found is stated
    if isinstance(found, int | float) and isinstance(stated, int | float):
        return math.isclose(found, stated, rel_tol=1e-4) or (math.isnan(found) and math.isnan(stated))
    return bool(found == stated)
