"""Columns: which column of a log is the loss, the validation, the gradient's norm, the learning rate, the update."""

import re
from collections.abc import Iterable, Mapping

from skillkit.diagnosis.tables import Table
from skillkit.errors import bad_input, did_you_mean

# of each role the usual names, of which the first found is taken; `_` stands for one of / . - and a space, too
USUAL: Mapping[str, str] = {
    "step": """step global_step train_global_step trainer_global_step update updates num_updates iter iteration
        iterations iters it train_step train_steps steps training_step training_iteration batch""",
    "loss": """loss train_loss training_loss loss_train loss_training train_loss_step train_step_loss tr_loss
        train_loss_total train_total_loss total_loss loss_total train_main_loss lm_loss ce_loss loss_step
        train_loss_epoch train_epoch_loss loss_epoch train_loss_mean train_avg_loss avg_loss mean_loss avg_train_loss
        mean_train_loss batch_loss running_loss train_ce train_nll nll train_cross_entropy train_mse losses_train
        metrics_loss train_metrics_loss train_loss_avg training_loss_step value""",
    "validation": """val_loss valid_loss validation_loss eval_loss loss_val loss_valid loss_validation loss_eval
        dev_loss test_loss loss_test val_loss_epoch val_total_loss valid_total_loss validation_total_loss
        eval_total_loss avg_val_loss mean_val_loss val_loss_mean val_loss_total val_avg_loss val_ce val_nll val_mse
        validate_loss valid_loss_total""",
    "gradient": """grad_norm gradient_norm gnorm grad_norm_total global_grad_norm global_norm total_grad_norm
        train_grad_norm train_gradient_norm grad_global_norm grads_norm gradients_norm optim_grad_norm
        train_global_grad_norm grad_norm_step gradnorm grad_2_0_norm_total optim_total_grad_norm norm""",
    "rate": """lr learning_rate train_lr train_learning_rate learningrate rate lr_adamw lr_adam lr_sgd lr_group0
        train_lr_group0 lr_pg0 lr_0 lr_adamw_pg1 lr_adam_pg1 optim_lr optim_learning_rate_group0 opt_lr current_lr
        schedule_lr""",
    "epoch": "epoch epochs train_epoch epoch_num ep",
}
ROLES = tuple(USUAL)


def chosen(table: Table, said: Mapping[str, str]) -> dict[str, str]:
    """Return for each role that a log has the name of its column.

    Args:
        table: The log.
        said: The columns that the user named, by role.

    Raises:
        BadInput: There is no column for the loss, or none of a name that was said.
    """
    found = {role: _named(table, name) for role, name in said.items()}
    taken = set(found.values())
    plain = _plain(name for name in table.columns if name not in taken)
    for role in ROLES:
        if role not in found and (name := _usual(role, plain)) is not None:
            found[role] = name
    if "loss" not in found and "validation" in found:
        found["loss"] = found.pop("validation")
    if "loss" not in found:
        raise bad_input(table.path, _asked(table))
    return found


def _named(table: Table, name: str) -> str:
    if name in table.columns:
        return name
    if name in table.names:
        raise bad_input(table.path, f"the column '{name}' has no numbers")
    raise bad_input(table.path, f"has no column '{name}'{did_you_mean(name, table.names)}: {_listed(table)}")


def _plain(names: Iterable[str]) -> dict[str, str]:
    plain: dict[str, str] = {}
    for name in names:
        plain.setdefault(re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_"), name)
    return plain


def _usual(role: str, plain: Mapping[str, str]) -> str | None:
    return next((plain[name] for name in USUAL[role].split() if name in plain), None)


def _asked(table: Table) -> str:
    if not table.columns:
        return "has no numbers: a log has a row for each update or so, with the loss"
    guess = next((name for name in table.columns if "loss" in name.lower()), None)
    said = f"--column loss={guess}" if guess else "--column loss=NAME"
    return f"has no column called as losses usually are; say which it is, as in {said!r}: {_listed(table)}"


def _listed(table: Table) -> str:
    names = list(table.columns) or table.names
    more = len(names) - _SHOWN
    return "its columns are " + ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


_SHOWN = 20
