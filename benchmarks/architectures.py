"""Records the parameters of transformers' models: names and shapes of small ones, the count of those of usual size.

`python -m benchmarks.architectures FILE`, where torch and transformers are installed; tests/test_huggingface.py
compares FILE, tests/trees/huggingface.json, with what is computed without them.
"""

import json
import sys
from typing import Any

import torch
import transformers

DECODER = {
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 100,
    "pad_token_id": 0,
}
BERT = {
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 100,
    "max_position_embeddings": 32,
    "type_vocab_size": 3,
}
T5 = {"d_model": 64, "d_kv": 8, "d_ff": 96, "num_layers": 2, "num_decoder_layers": 3, "num_heads": 4, "vocab_size": 100}
VISION = {
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "image_size": 32,
    "patch_size": 8,
    "num_channels": 1,
    "num_labels": 5,
}
UNTIED, TIED, BIASED = {"tie_word_embeddings": False}, {"tie_word_embeddings": True}, {"attention_bias": True}
# the class with a head, the sizes of a small model, and what else a configuration may say
CASES: dict[str, tuple[str, dict[str, Any], list[dict[str, Any]]]] = {
    "llama": ("LlamaForCausalLM", DECODER, [TIED | BIASED | {"mlp_bias": True}, {"head_dim": 8}]),
    "mistral": ("MistralForCausalLM", DECODER, [TIED | {"head_dim": 32}]),
    "mixtral": ("MixtralForCausalLM", DECODER | {"num_local_experts": 4}, [TIED]),
    "qwen2": ("Qwen2ForCausalLM", DECODER, [TIED]),
    "qwen3": ("Qwen3ForCausalLM", DECODER, [TIED | BIASED | {"head_dim": 32}]),
    "qwen3_moe": ("Qwen3MoeForCausalLM", DECODER | {"num_experts": 4, "moe_intermediate_size": 24}, [TIED | BIASED]),
    "gemma": ("GemmaForCausalLM", DECODER, [UNTIED | BIASED | {"head_dim": 32}]),
    "gemma2": ("Gemma2ForCausalLM", DECODER, [UNTIED | BIASED | {"head_dim": 32}]),
    "gemma3_text": ("Gemma3ForCausalLM", DECODER, [UNTIED | BIASED | {"head_dim": 32}]),
    "phi3": ("Phi3ForCausalLM", DECODER, [TIED]),
    "phi": ("PhiForCausalLM", DECODER, []),
    "olmo2": ("Olmo2ForCausalLM", DECODER, [TIED | BIASED]),
    "starcoder2": ("Starcoder2ForCausalLM", DECODER, [UNTIED | {"use_bias": False}]),
    "gpt2": (
        "GPT2LMHeadModel",
        {"n_embd": 64, "n_layer": 2, "n_head": 4, "vocab_size": 100, "n_positions": 32},
        [UNTIED | {"n_inner": 96}],
    ),
    "gpt_neox": ("GPTNeoXForCausalLM", DECODER, [TIED | {"attention_bias": False}]),
    "opt": ("OPTForCausalLM", BERT | {"ffn_dim": 96, "word_embed_proj_dim": 64}, [UNTIED]),
    "bert": ("BertForMaskedLM", BERT, [UNTIED]),
    "roberta": ("RobertaForMaskedLM", BERT, [UNTIED]),
    "camembert": ("CamembertForMaskedLM", BERT, []),
    "xlm-roberta": ("XLMRobertaForMaskedLM", BERT, []),
    "distilbert": (
        "DistilBertForMaskedLM",
        {"dim": 64, "hidden_dim": 96, "n_layers": 2, "n_heads": 4, "vocab_size": 100, "max_position_embeddings": 32},
        [UNTIED],
    ),
    "t5": ("T5ForConditionalGeneration", T5, [UNTIED | {"feed_forward_proj": "gated-gelu"}]),
    "mt5": ("MT5ForConditionalGeneration", T5, []),
    "vit": ("ViTForImageClassification", VISION, [{"qkv_bias": False}]),
    "deit": ("DeiTForImageClassification", VISION, [{"qkv_bias": False}]),
    "dinov2": ("Dinov2ForImageClassification", VISION, [{"qkv_bias": False, "use_mask_token": False, "mlp_ratio": 2}]),
}


def built(config: Any, head: str) -> Any:
    """Return the model of a configuration without memory for its arrays, and note its class as a saved one has it."""
    with torch.device("meta"):
        model = getattr(transformers, head)(config)
    config.architectures = [head]
    return model


def main() -> None:
    cases = []
    for kind, (head, sizes, others) in CASES.items():
        base = transformers.MODEL_MAPPING[type(transformers.AutoConfig.for_model(kind))].__name__
        for name, other in [(head, {}), *((head, other) for other in others), (base, {})]:
            config = transformers.AutoConfig.for_model(kind, **(sizes | other))
            model = built(config, name)
            leaves = model.named_parameters(remove_duplicate=False)
            shapes = {path: list(leaf.shape) for path, leaf in leaves if path not in model.all_tied_weights_keys}
            cases.append({"config": config.to_diff_dict(), "shapes": shapes})
        whole = transformers.AutoConfig.for_model(kind, **({} if kind != "phi3" else {"pad_token_id": 0}))
        count = sum(leaf.numel() for leaf in built(whole, head).parameters())
        cases.append({"config": whole.to_diff_dict(), "parameters": count})
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        lines = ",\n".join(json.dumps(case, sort_keys=False) for case in cases)
        file.write(f'{{"transformers": "{transformers.__version__}", "cases": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
