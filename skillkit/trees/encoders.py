"""BERT and other encoders, T5 among them, as transformers 5.24 names their parameters."""

from dataclasses import replace

from skillkit.trees.architecture import Architecture

_BERT = Architecture(
    sizes={
        "V": "vocab_size",
        "H": "hidden_size",
        "I": "intermediate_size",
        "L": "num_hidden_layers",
        "P": "max_position_embeddings",
        "S": "type_vocab_size|2",
    },
    body="""
embeddings.word_embeddings.weight V H
embeddings.position_embeddings.weight P H
embeddings.token_type_embeddings.weight S H
embeddings.LayerNorm.weight H
embeddings.LayerNorm.bias H
encoder.layer.{L}.attention.self.query.weight H H
encoder.layer.{L}.attention.self.query.bias H
encoder.layer.{L}.attention.self.key.weight H H
encoder.layer.{L}.attention.self.key.bias H
encoder.layer.{L}.attention.self.value.weight H H
encoder.layer.{L}.attention.self.value.bias H
encoder.layer.{L}.attention.output.dense.weight H H
encoder.layer.{L}.attention.output.dense.bias H
encoder.layer.{L}.attention.output.LayerNorm.weight H
encoder.layer.{L}.attention.output.LayerNorm.bias H
encoder.layer.{L}.intermediate.dense.weight I H
encoder.layer.{L}.intermediate.dense.bias I
encoder.layer.{L}.output.dense.weight H I
encoder.layer.{L}.output.dense.bias H
encoder.layer.{L}.output.LayerNorm.weight H
encoder.layer.{L}.output.LayerNorm.bias H
""",
    prefix="bert.",
    head="""
cls.predictions.bias V
cls.predictions.transform.dense.weight H H
cls.predictions.transform.dense.bias H
cls.predictions.transform.LayerNorm.weight H
cls.predictions.transform.LayerNorm.bias H
cls.predictions.decoder.weight V H ?-tie_word_embeddings
cls.predictions.decoder.bias V ?-tie_word_embeddings
""",
    base="pooler.dense.weight H H\npooler.dense.bias H",
    heads=("ForMaskedLM",),
    settings={"tie_word_embeddings": True},
    fixed={"add_cross_attention": False, "is_decoder": False},
)
_ROBERTA = replace(
    _BERT,
    prefix="roberta.",
    head="""
lm_head.bias V
lm_head.dense.weight H H
lm_head.dense.bias H
lm_head.layer_norm.weight H
lm_head.layer_norm.bias H
lm_head.decoder.weight V H ?-tie_word_embeddings
lm_head.decoder.bias V ?-tie_word_embeddings
""",
)
_DISTILBERT = Architecture(
    sizes={"V": "vocab_size", "H": "dim", "I": "hidden_dim", "L": "n_layers", "P": "max_position_embeddings"},
    body="""
embeddings.word_embeddings.weight V H
embeddings.position_embeddings.weight P H
embeddings.LayerNorm.weight H
embeddings.LayerNorm.bias H
transformer.layer.{L}.attention.q_lin.weight H H
transformer.layer.{L}.attention.q_lin.bias H
transformer.layer.{L}.attention.k_lin.weight H H
transformer.layer.{L}.attention.k_lin.bias H
transformer.layer.{L}.attention.v_lin.weight H H
transformer.layer.{L}.attention.v_lin.bias H
transformer.layer.{L}.attention.out_lin.weight H H
transformer.layer.{L}.attention.out_lin.bias H
transformer.layer.{L}.sa_layer_norm.weight H
transformer.layer.{L}.sa_layer_norm.bias H
transformer.layer.{L}.ffn.lin1.weight I H
transformer.layer.{L}.ffn.lin1.bias I
transformer.layer.{L}.ffn.lin2.weight H I
transformer.layer.{L}.ffn.lin2.bias H
transformer.layer.{L}.output_layer_norm.weight H
transformer.layer.{L}.output_layer_norm.bias H
""",
    prefix="distilbert.",
    head="""
vocab_transform.weight H H
vocab_transform.bias H
vocab_layer_norm.weight H
vocab_layer_norm.bias H
vocab_projector.bias V
vocab_projector.weight V H ?-tie_word_embeddings
""",
    heads=("ForMaskedLM",),
    settings={"tie_word_embeddings": True},
)
_T5_BLOCK = """
STACK.block.{L}.layer.0.SelfAttention.q.weight A*D H
STACK.block.{L}.layer.0.SelfAttention.k.weight A*D H
STACK.block.{L}.layer.0.SelfAttention.v.weight A*D H
STACK.block.{L}.layer.0.SelfAttention.o.weight H A*D
STACK.block.0.layer.0.SelfAttention.relative_attention_bias.weight B A
STACK.block.{L}.layer.0.layer_norm.weight H
"""
_T5_CROSS = """
decoder.block.{L}.layer.1.EncDecAttention.q.weight A*D H
decoder.block.{L}.layer.1.EncDecAttention.k.weight A*D H
decoder.block.{L}.layer.1.EncDecAttention.v.weight A*D H
decoder.block.{L}.layer.1.EncDecAttention.o.weight H A*D
decoder.block.{L}.layer.1.layer_norm.weight H
"""
_T5_MLP = """
STACK.block.{L}.layer.AT.DenseReluDense.wi.weight I H ?-is_gated_act
STACK.block.{L}.layer.AT.DenseReluDense.wi_0.weight I H ?is_gated_act
STACK.block.{L}.layer.AT.DenseReluDense.wi_1.weight I H ?is_gated_act
STACK.block.{L}.layer.AT.DenseReluDense.wo.weight H I
STACK.block.{L}.layer.AT.layer_norm.weight H
STACK.final_layer_norm.weight H
"""
_T5 = Architecture(
    sizes={"V": "vocab_size", "H": "d_model", "I": "d_ff", "D": "d_kv", "A": "num_heads", "L": "num_layers",
           "M": "num_decoder_layers|L", "B": "relative_attention_num_buckets|32"},
    body="shared.weight V H"
    + (_T5_BLOCK + _T5_MLP).replace("STACK", "encoder").replace("AT.", "1.")
    + (_T5_BLOCK + _T5_CROSS + _T5_MLP).replace("STACK", "decoder").replace("AT.", "2.").replace("{L}", "{M}"),
    prefix="",
    head="lm_head.weight V H ?-tie_word_embeddings",
    heads=("ForConditionalGeneration", "WithLMHeadModel"),
    settings={"tie_word_embeddings": True, "is_gated_act": False},
)  # fmt: skip

ENCODERS = {
    "bert": _BERT,
    "camembert": _ROBERTA,
    "distilbert": _DISTILBERT,
    "mt5": replace(_T5, settings={"tie_word_embeddings": True, "is_gated_act": True}),
    "roberta": _ROBERTA,
    "t5": _T5,
    "xlm-roberta": _ROBERTA,
}
