"""Llama and what was made after it, as transformers 5.24 names their parameters."""

from dataclasses import replace

from skillkit.trees.architecture import Architecture

DECODER = {
    "V": "vocab_size",
    "H": "hidden_size",
    "I": "intermediate_size",
    "L": "num_hidden_layers",
    "A": "num_attention_heads",
    "K": "num_key_value_heads|A",
    "D": "head_dim|H/A",
}
CAUSAL = ("ForCausalLM", "LMHeadModel")
ATTENTION = """
layers.{L}.self_attn.q_proj.weight A*D H
layers.{L}.self_attn.q_proj.bias A*D ?attention_bias
layers.{L}.self_attn.k_proj.weight K*D H
layers.{L}.self_attn.k_proj.bias K*D ?attention_bias
layers.{L}.self_attn.v_proj.weight K*D H
layers.{L}.self_attn.v_proj.bias K*D ?attention_bias
layers.{L}.self_attn.o_proj.weight H A*D
layers.{L}.self_attn.o_proj.bias H ?attention_bias
"""
_MLP = """
layers.{L}.mlp.gate_proj.weight I H
layers.{L}.mlp.gate_proj.bias I ?mlp_bias
layers.{L}.mlp.up_proj.weight I H
layers.{L}.mlp.up_proj.bias I ?mlp_bias
layers.{L}.mlp.down_proj.weight H I
layers.{L}.mlp.down_proj.bias H ?mlp_bias
"""
_NORMS = """
layers.{L}.input_layernorm.weight H
layers.{L}.post_attention_layernorm.weight H
"""
_SANDWICH = """
layers.{L}.pre_feedforward_layernorm.weight H
layers.{L}.post_feedforward_layernorm.weight H
"""
_EMBED, _NORM = "embed_tokens.weight V H", "norm.weight H"
_HEAD_NORMS = """
layers.{L}.self_attn.q_norm.weight D
layers.{L}.self_attn.k_norm.weight D
"""
_LLAMA = Architecture(
    sizes=DECODER,
    body=_EMBED + ATTENTION + _MLP + _NORMS + _NORM,
    prefix="model.",
    head="lm_head.weight V H ?-tie_word_embeddings",
    heads=CAUSAL,
    settings={"attention_bias": False, "mlp_bias": False, "tie_word_embeddings": False},
)
_PLAIN = replace(_LLAMA, settings={"tie_word_embeddings": False})
_GEMMA = replace(
    _LLAMA,
    sizes=DECODER | {"D": "head_dim|256"},
    settings={"attention_bias": False, "mlp_bias": False, "tie_word_embeddings": True},
)
_EXPERTS = """
layers.{L}.mlp.gate.weight E H
layers.{L}.mlp.experts.gate_up_proj E 2*I H
layers.{L}.mlp.experts.down_proj E H I
"""
# of qwen2 the last projection never has a bias, and the others always have one
_QWEN2_ATTENTION = ATTENTION.replace(" ?attention_bias", "").replace("layers.{L}.self_attn.o_proj.bias H\n", "")

LLAMA_MODELS = {
    "gemma": _GEMMA,
    "gemma2": replace(_GEMMA, body=_EMBED + ATTENTION + _MLP + _NORMS + _SANDWICH + _NORM),
    "gemma3_text": replace(_GEMMA, body=_EMBED + ATTENTION + _HEAD_NORMS + _MLP + _NORMS + _SANDWICH + _NORM),
    "llama": _LLAMA,
    "mistral": _PLAIN,
    "mixtral": replace(
        _PLAIN,
        sizes=DECODER | {"E": "num_local_experts"},
        body=_EMBED + ATTENTION + _EXPERTS + _NORMS + _NORM,
    ),
    "olmo2": replace(
        _LLAMA,
        body=_EMBED
        + ATTENTION
        + "layers.{L}.self_attn.q_norm.weight A*D\nlayers.{L}.self_attn.k_norm.weight K*D"
        + _MLP
        + "layers.{L}.post_attention_layernorm.weight H\nlayers.{L}.post_feedforward_layernorm.weight H\n"
        + _NORM,
    ),
    "phi3": replace(
        _PLAIN,
        body=_EMBED
        + """
layers.{L}.self_attn.o_proj.weight H A*D
layers.{L}.self_attn.qkv_proj.weight A*D+2*K*D H
layers.{L}.mlp.gate_up_proj.weight 2*I H
layers.{L}.mlp.down_proj.weight H I
"""
        + _NORMS
        + _NORM,
    ),
    "qwen2": replace(
        _PLAIN,
        body=_EMBED + _QWEN2_ATTENTION + _MLP + _NORMS + _NORM,
    ),
    "qwen3": replace(
        _LLAMA,
        sizes=DECODER | {"D": "head_dim|128"},
        body=_EMBED + ATTENTION + _HEAD_NORMS + _MLP + _NORMS + _NORM,
    ),
    "qwen3_moe": replace(
        _LLAMA,
        sizes=DECODER | {"I": "moe_intermediate_size", "E": "num_experts,num_local_experts"},
        body=_EMBED + ATTENTION + _HEAD_NORMS + _EXPERTS + _NORMS + _NORM,
        fixed={"decoder_sparse_step": 1, "mlp_only_layers": []},
    ),
}
