"""Vision transformers, as transformers 5.24 names their parameters."""

from dataclasses import replace

from skillkit.trees.architecture import Architecture

_VIT_LAYER = """
layers.{L}.attention.q_proj.weight H H
layers.{L}.attention.q_proj.bias H ?qkv_bias
layers.{L}.attention.k_proj.weight H H
layers.{L}.attention.k_proj.bias H ?qkv_bias
layers.{L}.attention.v_proj.weight H H
layers.{L}.attention.v_proj.bias H ?qkv_bias
layers.{L}.attention.o_proj.weight H H
layers.{L}.attention.o_proj.bias H
layers.{L}.layernorm_before.weight H
layers.{L}.layernorm_before.bias H
layers.{L}.layernorm_after.weight H
layers.{L}.layernorm_after.bias H
layers.{L}.mlp.fc1.weight I H
layers.{L}.mlp.fc1.bias I
layers.{L}.mlp.fc2.weight H I
layers.{L}.mlp.fc2.bias H
layernorm.weight H
layernorm.bias H
"""
_PATCHES = """
embeddings.patch_embeddings.projection.weight H N R R
embeddings.patch_embeddings.projection.bias H
"""
_VIT = Architecture(
    sizes={"H": "hidden_size", "I": "intermediate_size", "L": "num_hidden_layers", "R": "patch_size",
           "G": "image_size", "N": "num_channels|3", "C": "num_labels|2"},
    body="embeddings.cls_token 1 1 H\nembeddings.position_embeddings 1 G/R*G/R+1 H" + _PATCHES + _VIT_LAYER,
    prefix="vit.",
    head="classifier.weight C H\nclassifier.bias C",
    base="pooler.dense.weight H H\npooler.dense.bias H",
    heads=("ForImageClassification",),
    settings={"qkv_bias": True},
)  # fmt: skip
_DEIT = replace(
    _VIT,
    body="embeddings.cls_token 1 1 H\nembeddings.position_embeddings 1 G/R*G/R+2 H\nembeddings.distillation_token 1 1 H"
    + _PATCHES
    + _VIT_LAYER,
    prefix="deit.",
)
_DINOV2 = replace(
    _VIT,
    sizes={**{letter: size for letter, size in _VIT.sizes.items() if letter != "I"}, "M": "mlp_ratio|4"},
    body="embeddings.cls_token 1 1 H\nembeddings.mask_token 1 H ?use_mask_token\n"
    "embeddings.position_embeddings 1 G/R*G/R+1 H" + _PATCHES + """
encoder.layer.{L}.norm1.weight H
encoder.layer.{L}.norm1.bias H
encoder.layer.{L}.attention.q_proj.weight H H
encoder.layer.{L}.attention.q_proj.bias H ?qkv_bias
encoder.layer.{L}.attention.k_proj.weight H H
encoder.layer.{L}.attention.k_proj.bias H ?qkv_bias
encoder.layer.{L}.attention.v_proj.weight H H
encoder.layer.{L}.attention.v_proj.bias H ?qkv_bias
encoder.layer.{L}.attention.o_proj.weight H H
encoder.layer.{L}.attention.o_proj.bias H
encoder.layer.{L}.layer_scale1.lambda1 H
encoder.layer.{L}.norm2.weight H
encoder.layer.{L}.norm2.bias H
encoder.layer.{L}.mlp.fc1.weight M*H H
encoder.layer.{L}.mlp.fc1.bias M*H
encoder.layer.{L}.mlp.fc2.weight H M*H
encoder.layer.{L}.mlp.fc2.bias H
encoder.layer.{L}.layer_scale2.lambda1 H
layernorm.weight H
layernorm.bias H
""",
    prefix="dinov2.",
    head="classifier.weight C 2*H\nclassifier.bias C",
    base="",
    settings={"qkv_bias": True, "use_mask_token": True},
    fixed={"use_swiglu_ffn": False},
)  # fmt: skip

VISION_MODELS = {
    "deit": _DEIT,
    "dinov2": _DINOV2,
    "vit": _VIT,
}
