import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillkit.configuration import building, schedules

FLOATS = st.floats(1e-6, 1.0)


@st.composite
def a_schedule(draw: st.DrawFn) -> dict[str, Any]:
    warmup = draw(st.integers(0, 20))
    left = draw(st.integers(2, 40))
    length = draw(st.integers(1, left))
    boundaries = draw(st.lists(st.integers(1, left - 1), unique=True, max_size=3))
    return {
        "name": draw(st.sampled_from([name for name in schedules.NAMES if name != "none"])),
        "init_value": draw(FLOATS),
        "peak_value": draw(FLOATS),
        "end_value": draw(FLOATS),
        "warmup_steps": warmup,
        "total_steps": warmup + left,
        "decay_steps": length,
        "cooldown_steps": draw(st.sampled_from([0, length])),
        "timescale": draw(st.integers(1, 50)),
        "boundaries": [warmup + boundary for boundary in sorted(boundaries)],
        "scale": 0.3,
    }


@given(a_schedule())
@settings(max_examples=60, deadline=None)
def test_values_without_jax_are_those_of_optax(schedule: dict[str, Any]) -> None:
    rate = building.evaluate(schedules.call(schedule), {})
    for update in range(schedule["total_steps"]):
        assert math.isclose(float(rate(update)), schedules.value(schedule, update), rel_tol=2e-5, abs_tol=1e-7)


def test_the_peak_comes_at_the_end_of_warmup_and_the_end_at_the_end() -> None:
    cosine = {"name": "cosine", "init_value": 0.0, "peak_value": 1.0, "warmup_steps": 10, "total_steps": 110}
    assert [schedules.value(cosine, update) for update in (0, 5, 10, 60)] == pytest.approx([0.0, 0.5, 1.0, 0.5])
    assert schedules.value(cosine, 110) == schedules.value(cosine, 1000) == 0.0
