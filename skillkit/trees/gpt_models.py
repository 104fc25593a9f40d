"""GPT-2 and other decoders whose norms and projections have biases, as transformers 5.24 names their parameters."""

from dataclasses import replace

from skillkit.trees.architecture import Architecture
from skillkit.trees.llama_models import ATTENTION, CAUSAL, DECODER, LLAMA_MODELS

_GPT2 = Architecture(
    sizes={"V": "vocab_size", "H": "n_embd", "L": "n_layer", "P": "n_positions", "I": "n_inner|4*H"},
    body="""
wte.weight V H
wpe.weight P H
h.{L}.ln_1.weight H
h.{L}.ln_1.bias H
h.{L}.attn.c_attn.weight H 3*H
h.{L}.attn.c_attn.bias 3*H
h.{L}.attn.c_proj.weight H H
h.{L}.attn.c_proj.bias H
h.{L}.ln_2.weight H
h.{L}.ln_2.bias H
h.{L}.mlp.c_fc.weight H I
h.{L}.mlp.c_fc.bias I
h.{L}.mlp.c_proj.weight I H
h.{L}.mlp.c_proj.bias H
ln_f.weight H
ln_f.bias H
""",
    prefix="transformer.",
    head="lm_head.weight V H ?-tie_word_embeddings",
    heads=CAUSAL,
    settings={"tie_word_embeddings": True},
    fixed={"add_cross_attention": False},
)
_GPT_NEOX = Architecture(
    sizes=DECODER,
    body="""
embed_in.weight V H
layers.{L}.input_layernorm.weight H
layers.{L}.input_layernorm.bias H
layers.{L}.post_attention_layernorm.weight H
layers.{L}.post_attention_layernorm.bias H
layers.{L}.attention.query_key_value.weight 3*H H
layers.{L}.attention.query_key_value.bias 3*H ?attention_bias
layers.{L}.attention.dense.weight H H
layers.{L}.attention.dense.bias H ?attention_bias
layers.{L}.mlp.dense_h_to_4h.weight I H
layers.{L}.mlp.dense_h_to_4h.bias I
layers.{L}.mlp.dense_4h_to_h.weight H I
layers.{L}.mlp.dense_4h_to_h.bias H
final_layer_norm.weight H
final_layer_norm.bias H
""",
    prefix="gpt_neox.",
    head="lm_head.weight V H ?-tie_word_embeddings",
    heads=CAUSAL,
    settings={"attention_bias": True, "tie_word_embeddings": False},
)
_OPT = Architecture(
    sizes={
        "V": "vocab_size",
        "H": "hidden_size",
        "I": "ffn_dim",
        "L": "num_hidden_layers",
        "P": "max_position_embeddings",
        "W": "word_embed_proj_dim|H",
    },
    body="""
decoder.embed_tokens.weight V H
decoder.embed_positions.weight P+2 H
decoder.final_layer_norm.weight H
decoder.final_layer_norm.bias H
decoder.layers.{L}.self_attn.k_proj.weight H H
decoder.layers.{L}.self_attn.k_proj.bias H
decoder.layers.{L}.self_attn.v_proj.weight H H
decoder.layers.{L}.self_attn.v_proj.bias H
decoder.layers.{L}.self_attn.q_proj.weight H H
decoder.layers.{L}.self_attn.q_proj.bias H
decoder.layers.{L}.self_attn.out_proj.weight H H
decoder.layers.{L}.self_attn.out_proj.bias H
decoder.layers.{L}.self_attn_layer_norm.weight H
decoder.layers.{L}.self_attn_layer_norm.bias H
decoder.layers.{L}.fc1.weight I H
decoder.layers.{L}.fc1.bias I
decoder.layers.{L}.fc2.weight H I
decoder.layers.{L}.fc2.bias H
decoder.layers.{L}.final_layer_norm.weight H
decoder.layers.{L}.final_layer_norm.bias H
""",
    prefix="model.",
    head="lm_head.weight V H ?-tie_word_embeddings",
    heads=CAUSAL,
    settings={"tie_word_embeddings": True},
    fixed={
        "do_layer_norm_before": True,
        "enable_bias": True,
        "layer_norm_elementwise_affine": True,
        "W": "H",
        "_remove_final_layer_norm": False,
    },
)
_PHI = replace(
    LLAMA_MODELS["mistral"],
    body="""
embed_tokens.weight V H
layers.{L}.self_attn.q_proj.weight A*D H
layers.{L}.self_attn.q_proj.bias A*D
layers.{L}.self_attn.k_proj.weight K*D H
layers.{L}.self_attn.k_proj.bias K*D
layers.{L}.self_attn.v_proj.weight K*D H
layers.{L}.self_attn.v_proj.bias K*D
layers.{L}.self_attn.dense.weight H A*D
layers.{L}.self_attn.dense.bias H
layers.{L}.mlp.fc1.weight I H
layers.{L}.mlp.fc1.bias I
layers.{L}.mlp.fc2.weight H I
layers.{L}.mlp.fc2.bias H
layers.{L}.input_layernorm.weight H
layers.{L}.input_layernorm.bias H
final_layernorm.weight H
final_layernorm.bias H
""",
    head="lm_head.weight V H ?-tie_word_embeddings\nlm_head.bias V",
    fixed={"qk_layernorm": False},
)
_STARCODER2 = replace(
    LLAMA_MODELS["llama"],
    body="embed_tokens.weight V H" + ATTENTION.replace("attention_bias", "use_bias") + """
layers.{L}.mlp.c_fc.weight I H
layers.{L}.mlp.c_fc.bias I ?use_bias
layers.{L}.mlp.c_proj.weight H I
layers.{L}.mlp.c_proj.bias H ?use_bias
layers.{L}.input_layernorm.weight H
layers.{L}.input_layernorm.bias H
layers.{L}.post_attention_layernorm.weight H
layers.{L}.post_attention_layernorm.bias H
norm.weight H
norm.bias H
""",
    settings={"use_bias": True, "tie_word_embeddings": True},
)  # fmt: skip

GPT_MODELS = {
    "gpt2": _GPT2,
    "gpt_neox": _GPT_NEOX,
    "opt": _OPT,
    "phi": _PHI,
    "starcoder2": _STARCODER2,
}
