"""Shards: parts of what is to be proven, for machines that share the work."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from skillkit.proof.proofs import Proof


@dataclass(frozen=True)
class Shard:
    """One part of several, counted from 1.

    Args:
        number: Which.
        count: Of how many.
    """

    number: int
    count: int

    def of(self, proofs: Sequence[Proof]) -> list[Proof]:
        """Return this part of some proofs, in their order.

        Parts differ by at most one in size. They are cut from the order of the ids' digests, so that a part is a
        mixture of all topics, and keeps most of what it has when statements come and go.
        """
        order = sorted(proofs, key=lambda proof: hashlib.sha256(proof.id.encode()).digest())
        first, last = (len(order) * end // self.count for end in (self.number - 1, self.number))
        mine = {id(proof) for proof in order[first:last]}
        return [proof for proof in proofs if id(proof) in mine]


WHOLE = Shard(1, 1)


def parse_shard(text: str) -> Shard:
    """Read `2/4`.

    Raises:
        ValueError: It is no such text, or there is no such part.
    """
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
    shard = Shard(int(found[1]), int(found[2])) if found else Shard(0, 0)
    if not 1 <= shard.number <= shard.count:
        raise ValueError(f"'{text}' is no part: write 2/4 for the second of four")
    return shard
