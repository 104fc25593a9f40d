"""Selectors, on the paths that models in use have."""

import jax
import jax.numpy as jnp
import optax
import pytest

from skillkit.configuration import masks, supplements

HIDDEN = [
    "hidden/kernel", "layers/0/mlp/gate/kernel", "model.layers.0.mlp.gate.weight", "layers.3.mlp.gate_proj.weight",
    "multi_head_attention/query/kernel", "encoder.layer.0.output.dense.weight", "layers.0.attn.output.dense.weight",
    "blocks/0/attn/out/kernel", "transformer/h/0/mlp/c_fc/kernel", "layers.0.mlp.fc.weight", "block_0/mlp/out/kernel",
    "MultiHeadDotProductAttention_0/query/kernel", "norm1/linear/weight", "stable_unet/conv/kernel", "se/0/fc/kernel",
    "cls.predictions.transform.dense.weight", "pos_ffn/w_1/kernel", "wav2vec/pos_conv_embed/conv/kernel",
    "monkey/dense/kernel", "lora_b", "layers/w1", "text_embedder/layers/0/attn/q_proj/kernel",
]  # fmt: skip
HEADS = [
    "head/kernel", "lm_head.weight", "classifier/kernel", "classifier.weight", "classifier.6.weight", "fc.weight",
    "resnet.fc.weight", "output.weight", "params/output/kernel", "vocab_projector.weight",
    "cls.predictions.decoder.weight",
    "mlp_head.1.weight", "head_1/kernel", "to_logits.weight", "score.weight", "qa_outputs.weight", "embed_out.weight",
    "proj_out.weight", "unembed", "policy_head/kernel",
]  # fmt: skip
EMBEDDINGS = [
    "shared.weight", "shared/embedding", "embed/embedding", "wte", "model.embed_tokens.weight", "tok_embeddings.weight",
    "embedding/table", "emb/w", "patch_embed/kernel", "patch_embed.proj.weight", "user_table", "Embed_0/embedding",
    "bert.embeddings.word_embeddings.weight", "codebook",
]  # fmt: skip
POSITIONS = [
    "cls_token", "dist_token", "mask_token", "pos_embed", "decoder_pos_embed", "cls", "register_tokens",
    "Transformer/posembed_input/pos_embedding", "transformer.wpe.weight", "bert.embeddings.position_embeddings.weight",
    "encoder.embed_positions.weight", "positional_embedding", "absolute_pos_embed", "query_tokens",
    "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight", "attn/relative_position_bias_table",
    "position_embeddings/embedding", "blocks.0.attn.rel_pos_h",
]  # fmt: skip
VECTORS = [
    "norm/scale", "blocks/norm1/weight", "blocks/ln_1/weight", "blocks/LayerNorm_0/scale", "layers/bn1/weight",
    "model.layers.input_layernorm.weight", "blocks/attn/q_norm/weight", "conv/bias", "blocks/b1", "blocks/ls1/gamma",
    "blocks/norms/0/weight",
]  # fmt: skip


@pytest.mark.parametrize("name", HIDDEN)
def test_hidden_matrices_are_decayed_and_muons(name: str) -> None:
    assert masks.is_hidden_matrix(name, 2)
    assert masks.is_decayed_matrix(name, 2)


@pytest.mark.parametrize("name", HEADS)
def test_last_layers_are_decayed_and_not_muons(name: str) -> None:
    assert masks.is_head(name, 2)
    assert masks.is_matrix(name, 2)
    assert not masks.is_hidden_matrix(name, 2)
    assert not masks.is_embedding(name, 2)


@pytest.mark.parametrize("name", EMBEDDINGS)
def test_tables_are_embeddings(name: str) -> None:
    assert masks.is_embedding(name, 2)
    assert masks.is_matrix(name, 2)
    assert not masks.is_hidden_matrix(name, 2)
    assert not masks.is_decayed_matrix(name, 2)


@pytest.mark.parametrize("name", [*POSITIONS, *VECTORS])
@pytest.mark.parametrize("rank", [2, 3])
def test_positions_tokens_and_stacked_vectors_are_never_decayed_nor_muons(name: str, rank: int) -> None:
    assert not masks.is_matrix(name, rank)
    assert not masks.is_hidden_matrix(name, rank)
    assert not masks.is_decayed_matrix(name, rank)


@pytest.mark.parametrize("name", [*POSITIONS])
def test_positions_are_said_to_be_so(name: str) -> None:
    assert masks.is_position(name, 3)


@pytest.mark.parametrize(
    ("name", "rank", "stacked", "inputs"),
    [
        ("hidden/kernel", 2, 0, 1),
        ("conv/kernel", 4, 0, 3),
        ("conv/weight", 4, 0, 1),
        ("layers/conv/kernel", 3, 0, 2),
        ("layers/conv/kernel", 5, 1, 3),
        ("attn/query/kernel", 3, 0, 1),
        ("attn/out/kernel", 3, 0, 2),
        ("layers/0/attn/query/kernel", 3, 0, 1),
        ("layers/layer_3/attn/out/kernel", 3, 0, 2),
        ("blocks/w", 3, 1, 1),
        ("blocks/w1", 3, 1, 1),
        ("blocks/attn/query/kernel", 4, 1, 1),
        ("blocks/attn/query/weight", 3, 1, 1),
        ("blocks/experts/w1", 4, 2, 1),
        ("layers.0.mlp.experts.gate_up_proj", 3, 1, 1),
        ("layers/dense/kernel", 2, 0, 1),
    ],
)
def test_axes_of_kernels(name: str, rank: int, stacked: int, inputs: int) -> None:
    assert (masks.stacked_axes(name, rank), masks.input_axes(name, rank)) == (stacked, inputs)


def test_muon_takes_each_layer_of_a_stack_by_itself() -> None:
    """Two layers of very different gradients: each is orthogonalised, so that the updates are of one size."""
    grads = {"blocks": {"w": jnp.stack([jnp.eye(8), 1e-3 * jnp.eye(8)[::-1]])}}
    muon = optax.contrib.muon(
        learning_rate=1.0, muon_weight_dimension_numbers=supplements.muon_dimensions, consistent_rms=0.2
    )
    updates, _ = muon.update(grads, muon.init(grads), grads)
    first, second = jax.numpy.linalg.norm(updates["blocks"]["w"], axis=(1, 2))
    assert float(second) == pytest.approx(float(first), rel=0.3)
