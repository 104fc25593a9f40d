"""Counting: the curves of schedulers that take one step in several updates, or several in one."""

from skillkit.curves.curve import Curve, Schedule


def held(curve: Curve, every: int, skips: int) -> Curve:
    """Return the curve of a scheduler that steps once in so many updates, and a few times before the first."""
    if every == 1 and not skips:
        return curve

    def shape(total: int) -> Schedule | None:
        made = None if skips else curve.shape(max(1, -(-total // every)))
        return made and _stretched(made, every)

    bends = tuple(every * (bend - skips) for bend in curve.bends if bend > skips)
    length = None if curve.length is None else every * curve.length
    return Curve(lambda update: curve.rate(update // every + skips), shape, bends, length)


def sampled(curve: Curve, every: int) -> Curve:
    """Return the curve of a schedule that counts batches, so many in an update, and is read in the last of them."""
    if every == 1:
        return curve

    def shape(total: int) -> Schedule | None:
        made = curve.shape(total * every)
        whole = made and all(made.get(key, 0) % every == 0 for key in ("warmup_steps", "total_steps"))
        if not made or not whole or "boundaries" in made or "timescale" in made:
            return None  # which `fitting` finds by its rates
        return made | {key: made[key] // every for key in ("warmup_steps", "total_steps") if key in made}

    bends = tuple(sorted({bend // every for bend in curve.bends}))
    length = None if curve.length is None else max(1, curve.length // every)
    return Curve(lambda update: curve.rate(update * every + every - 1), shape, bends, length)


def _stretched(schedule: Schedule, every: int) -> Schedule:
    steps = ("warmup_steps", "total_steps", "decay_steps", "cooldown_steps", "timescale")
    longer = {key: schedule[key] * every for key in steps if schedule.get(key)}
    if "boundaries" in schedule:
        longer["boundaries"] = [boundary * every for boundary in schedule["boundaries"]]
    return schedule | longer
