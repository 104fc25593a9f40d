"""Everything that the texts state about code, executed."""

from pathlib import Path

import pytest

from skillkit.proof.proofs import Proof
from skillkit.testing import project_proofs, prove


@pytest.mark.parametrize("proof", project_proofs(Path(__file__).parent), ids=lambda proof: proof.id)
def test_pattern(proof: Proof) -> None:
    result = prove(proof)
    assert result.state != "fails", str(result)
