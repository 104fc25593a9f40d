"""Shards: parts that are all of it together, as large as one another, and stay what they are."""

import re

import pytest

from skillkit.proof.proofs import Proof, new_job
from skillkit.proof.shards import WHOLE, Shard, parse_shard
from skillkit.proof.verdicts import HOLDS


def proofs(count: int, prefix: str = "topic") -> list[Proof]:
    return [
        Proof(f"{prefix}-{number}", "block", prefix, "x.yaml:1:1", new_job(code=""), lambda _: HOLDS)
        for number in range(count)
    ]


@pytest.mark.parametrize(("size", "count"), [(0, 3), (2, 4), (10, 3), (1000, 7)])
def test_parts_are_all_of_it_once_and_as_large(size: int, count: int) -> None:
    work = proofs(size)
    parts = [Shard(number, count).of(work) for number in range(1, count + 1)]
    assert sorted(one.id for part in parts for one in part) == sorted(one.id for one in work)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_a_part_has_some_of_each_topic_in_their_order() -> None:
    work = proofs(40, "first") + proofs(40, "second")
    part = Shard(2, 4).of(work)
    assert {one.pattern for one in part} == {"first", "second"}
    assert part == [one for one in work if one in part]


def test_a_part_is_the_same_whatever_the_order_and_nearly_so_when_statements_come() -> None:
    work = proofs(400)
    before = {one.id for one in Shard(2, 4).of(work)}
    assert {one.id for one in Shard(2, 4).of(work[::-1])} == before
    after = {one.id for one in Shard(2, 4).of([*work, *proofs(20, "new")])}
    assert len(before & after) > 80


def test_one_of_one_is_everything() -> None:
    work = proofs(5)
    assert WHOLE.of(work) == work


def test_parts_are_written_so() -> None:
    assert parse_shard("2/4") == Shard(2, 4)


@pytest.mark.parametrize("text", ["", "2", "0/4", "5/4", "2/0", "-1/2", "a/b", "1/2/3", "2/4 "])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"'{text}' is no part")):
        parse_shard(text)
