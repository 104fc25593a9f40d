"""Optimizers: what a configuration may say of each Optax function that it may name."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Optimizer:
    """One of Optax's optimizers.

    Args:
        keywords: Its keyword arguments with their defaults, without learning rate, weight decay and mask.
        decays: The kinds of weight decay that can be asked for.
        decay_keyword: Its own argument for weight decay, or None where `add_decayed_weights` goes before it.
        mask_keyword: Its own argument for the mask of the weight decay, or None.
    """

    keywords: dict[str, object]
    decays: tuple[str, ...] = ()
    decay_keyword: str | None = None
    mask_keyword: str | None = None


def _adam(eps: float, **others: object) -> dict[str, object]:
    return {"b1": 0.9, "b2": 0.999, "eps": eps, "eps_root": 0.0, **others}


_ADAM = _adam(1e-8, mu_dtype=None, nesterov=False)

# Optax 0.2.8's own defaults; tests/test_optimizers.py compares them with the installed signatures.
OPTIMIZERS = {
    "adabelief": Optimizer({"b1": 0.9, "b2": 0.999, "eps": 1e-16, "eps_root": 1e-16, "nesterov": False}, ("l2",)),
    "adadelta": Optimizer({"rho": 0.9, "eps": 1e-6}, ("l2",), "weight_decay", "weight_decay_mask"),
    "adafactor": Optimizer(
        {
            "min_dim_size_to_factor": 128,
            "decay_rate": 0.8,
            "decay_offset": 0,
            "multiply_by_parameter_scale": True,
            "clipping_threshold": 1.0,
            "momentum": None,
            "dtype_momentum": "float32",
            "eps": 1e-30,
            "factored": True,
        },
        ("per_step",),
        "weight_decay_rate",
        "weight_decay_mask",
    ),
    "adagrad": Optimizer({"initial_accumulator_value": 0.1, "eps": 1e-7}, ("l2",)),
    "adam": Optimizer(_ADAM, ("l2",)),
    "adamax": Optimizer({"b1": 0.9, "b2": 0.999, "eps": 1e-8}, ("l2",)),
    "adamw": Optimizer(_ADAM, ("decoupled",), "weight_decay", "mask"),
    "contrib.muon": Optimizer(
        {
            "ns_coeffs": (3.4445, -4.775, 2.0315),
            "ns_steps": 5,
            "beta": 0.95,
            "eps": 1e-8,
            "mu_dtype": None,
            "nesterov": True,
            "adaptive": False,
            "preconditioning": "frobenius",
            "adam_b1": 0.9,
            "adam_b2": 0.999,
            "adam_eps_root": 0.0,
            "adam_learning_rate": None,
            "consistent_rms": None,
        },
        ("decoupled",),
        "weight_decay",
        "weight_decay_mask",
    ),
    "contrib.prodigy": Optimizer(
        {
            "betas": (0.9, 0.999),
            "beta3": None,
            "eps": 1e-8,
            "estim_lr0": 1e-6,
            "estim_lr_coef": 1.0,
            "safeguard_warmup": False,
        },
        ("decoupled",),
        "weight_decay",
    ),
    "contrib.schedule_free_adamw": Optimizer(
        {"b1": 0.9, "b2": 0.999, "eps": 1e-8, "weight_lr_power": 2.0, "state_dtype": None},
        ("decoupled",),
        "weight_decay",
    ),
    "lamb": Optimizer(_adam(1e-6), ("decoupled",), "weight_decay", "mask"),
    "lars": Optimizer(
        {"trust_coefficient": 0.001, "eps": 0.0, "momentum": 0.9, "nesterov": False},
        ("decoupled",),
        "weight_decay",
        "weight_decay_mask",
    ),
    "lbfgs": Optimizer({"memory_size": 10, "scale_init_precond": True}),
    "lion": Optimizer({"b1": 0.9, "b2": 0.99, "mu_dtype": None}, ("decoupled",), "weight_decay", "mask"),
    "nadamw": Optimizer(_ADAM | {"nesterov": True}, ("decoupled",), "weight_decay", "mask"),
    "radam": Optimizer(_adam(1e-8, threshold=5.0, nesterov=False), ("l2",)),
    "rmsprop": Optimizer(
        {
            "decay": 0.9,
            "eps": 1e-8,
            "initial_scale": 0.0,
            "eps_in_sqrt": True,
            "centered": False,
            "momentum": None,
            "nesterov": False,
            "bias_correction": False,
        },
        ("l2",),
    ),
    "set_to_zero": Optimizer({}),
    "sgd": Optimizer({"momentum": None, "nesterov": False, "accumulator_dtype": None}, ("l2",)),
}

WITHOUT_RATE = ("lbfgs", "set_to_zero")
