"""Tests of `python -m reference.train`, its data sets and its fit."""

import dataclasses
import gzip
import json
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import pytest
from click.testing import CliRunner, Result

import reference.classifier
import reference.datasets
from reference.classifier import Fitted, Score, Settings, evaluate, fit
from reference.data import shuffled_batches
from reference.datasets import DataError, Examples, Splits, load_splits, read_idx
from reference.train import main
from reference.training import TrainState, make_epoch

FAST = Settings(epochs=3, hidden=(16,), learning_rate=0.02)


def run(*arguments: str) -> Result:
    fast = ["--epochs", str(FAST.epochs), "--hidden", "16", "--learning-rate", str(FAST.learning_rate)]
    return CliRunner().invoke(main, [*fast, *arguments])


def refused(result: Result) -> str:
    """Return the one line of an error with exit code 2."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    line = result.stderr.removesuffix("\n")
    assert "\n" not in line
    assert line.startswith("Error: ")
    return line


@pytest.fixture(scope="module")
def digits() -> Splits:
    return load_splits("digits", seed=0)


# The IDX format


def idx(array: npt.ArrayLike) -> bytes:
    """Write the IDX format as its description has it."""
    content = np.asarray(array, np.uint8)
    sizes = b"".join(size.to_bytes(4, "big") for size in content.shape)
    return bytes([0, 0, 8, content.ndim]) + sizes + content.tobytes()


IMAGES = np.arange(60 * 4 * 3).reshape(60, 4, 3) % 251
LABELS = np.arange(60) % 3


def write_mnist(folder: Path, name: Callable[[str], str], pack: Callable[[bytes], bytes]) -> None:
    folder.mkdir()
    for part, count in (("train", 60), ("t10k", 12)):
        (folder / name(f"{part}-images-idx3-ubyte")).write_bytes(pack(idx(IMAGES[:count])))
        (folder / name(f"{part}-labels-idx1-ubyte")).write_bytes(pack(idx(LABELS[:count])))


@pytest.fixture
def mnist(tmp_path: Path) -> Path:
    write_mnist(tmp_path / "mnist", lambda name: name, bytes)
    return tmp_path / "mnist"


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        (lambda name: name, bytes),
        (lambda name: f"{name}.gz", gzip.compress),
        (lambda name: name.replace("-idx", ".idx"), bytes),
        (lambda name: name, gzip.compress),
    ],
    ids=["plain", "gzipped", "dotted", "gzipped without saying so"],
)
def test_idx_files_come_back_as_they_were_written(tmp_path: Path, name: Any, pack: Any) -> None:
    write_mnist(tmp_path / "mnist", name, pack)
    assert np.array_equal(IMAGES, read_idx(tmp_path / "mnist" / name("train-images-idx3-ubyte")))
    splits = load_splits(f"idx:{tmp_path / 'mnist'}", seed=0)
    assert [len(splits.train), len(splits.validation), len(splits.test)] == [48, 12, 12]
    assert splits.train.inputs.shape == (48, 12)
    assert LABELS[:12].tolist() == splits.test.labels.tolist()
    together = np.concatenate([splits.train.labels, splits.validation.labels])
    assert sorted(LABELS.tolist()) == sorted(together.tolist())


def test_trains_on_idx_files(mnist: Path) -> None:
    result = run("--data", f"idx:{mnist}", "--batch-size", "64", "--json")  # more than there are
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["test"]["examples"] == 12


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("train-images-idx3-ubyte", b"", "not an IDX file (starts with nothing)"),
        ("train-images-idx3-ubyte", b"<!DOCTYPE html>", "not an IDX file (starts with 3c 21 44 4f)"),
        ("train-images-idx3-ubyte", idx(IMAGES)[:-1], "truncated (735 bytes where 736 are due)"),
        ("train-images-idx3-ubyte", idx(IMAGES)[:9], "truncated (9 bytes"),
        ("train-images-idx3-ubyte", idx(IMAGES) + b"\0", "damaged (737 bytes where 736 are due)"),
        ("train-images-idx3-ubyte", bytes([0, 0, 13, 3]) + idx(IMAGES)[4:], "type 0x0d"),
        ("train-images-idx3-ubyte", bytes([0, 0, 8, 200]) + idx(IMAGES)[4:], "not an IDX file"),
        ("train-images-idx3-ubyte", gzip.compress(idx(IMAGES))[:-20], "damaged (Compressed file ended"),
        ("train-images-idx3-ubyte", gzip.compress(idx(IMAGES))[:10] + b"\xff" * 99, "damaged (Error -3"),
        ("train-images-idx3-ubyte", idx(LABELS), "are the files of 'train' swapped?"),
        ("train-labels-idx1-ubyte", idx(LABELS[:59]), "59 labels for 60 images"),
        ("t10k-images-idx3-ubyte", idx(np.zeros((12, 5, 3))), "differ in size, 12 and 15 pixels"),
        ("t10k-images-idx3-ubyte", idx(np.zeros((0, 4, 3))), "12 labels for 0 images"),
        ("t10k-labels-idx1-ubyte", idx(np.full(12, 9)), "has classes that the training split lacks"),
        ("train-labels-idx1-ubyte", idx(np.arange(60)), "too few examples to split by class"),
    ],
)
def test_damaged_idx_files_are_refused(mnist: Path, name: str, content: bytes, words: str) -> None:
    (mnist / name).write_bytes(content)
    line = refused(run("--data", f"idx:{mnist}"))
    assert words in line
    assert "--data digits" in line


def test_missing_idx_files_are_named(mnist: Path, tmp_path: Path) -> None:
    (mnist / "t10k-labels-idx1-ubyte").unlink()
    line = refused(run("--data", f"idx:{mnist}"))
    assert f"{mnist}: holds no t10k-labels-idx1-ubyte or t10k-labels-idx1-ubyte.gz" in line
    assert f"{tmp_path / 'none'}: no such folder" in refused(run("--data", f"idx:{tmp_path / 'none'}"))


def test_an_unreadable_file_is_refused(mnist: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", denied)
    assert "cannot be read (Permission denied)" in refused(run("--data", f"idx:{mnist}"))


# OpenML


def answer(monkeypatch: pytest.MonkeyPatch, data: Any, target: Any) -> None:
    bunch = SimpleNamespace(data=data, target=target)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda *_, **__: bunch)


def test_openml_without_a_network_is_a_clear_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def unreachable(*_: object, **__: object) -> None:
        raise socket.gaierror(-3, "Temporary failure in name resolution")

    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))  # nothing is cached there
    monkeypatch.setattr(socket, "getaddrinfo", unreachable)
    line = refused(run("--data", "openml:mnist_784"))
    assert "openml:mnist_784 cannot be loaded" in line
    assert "Temporary failure in name resolution" in line
    assert "--data digits" in line
    assert "--data idx:DIR" in line
    assert socket.getdefaulttimeout() is None


def test_openml_labels_may_be_words(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, IMAGES.reshape(60, 12), np.array(["one", "two", "nine"])[LABELS])
    splits = load_splits("openml:mnist_784", seed=0)
    assert splits.classes == 3
    assert [len(splits.train), len(splits.validation), len(splits.test)] == [38, 10, 12]


@pytest.mark.parametrize(
    ("data", "target", "words"),
    [
        (np.array([["red"]] * 60), LABELS, "not every feature is a number"),
        (np.full((60, 2), np.nan), LABELS, "missing or not finite"),
        (np.zeros((0, 2)), LABELS[:0], "is empty"),
        (np.zeros((60, 2)), None, "has no labels"),
        (np.zeros((60, 2)), np.linspace(0, 1, 60), "too few examples to split by class"),
    ],
)
def test_openml_data_that_is_unfit_is_refused(
    monkeypatch: pytest.MonkeyPatch, data: Any, target: Any, words: str
) -> None:
    answer(monkeypatch, data, target)
    line = refused(run("--data", "openml:cars"))
    assert words in line
    assert "--data digits" in line


@pytest.mark.parametrize("source", ["mnist", "idx:", "openml:", ""])
def test_an_unknown_data_set_is_refused(source: str) -> None:
    assert "give digits, openml:NAME (openml:mnist_784) or idx:DIR" in refused(run("--data", source))


# Splits and batches


def test_the_splits_part_the_data_set_by_class(digits: Splits) -> None:
    parts = [digits.train, digits.validation, digits.test]
    assert sum(map(len, parts)) == 1797
    for part in parts:
        shares = np.bincount(part.labels, minlength=10) / len(part)
        assert np.abs(shares - 0.1).max() < 0.02
    assert abs(digits.train.inputs.mean()) < 1e-4
    assert abs(digits.train.inputs.std() - 1) < 1e-4


def test_the_seed_decides_the_split(digits: Splits) -> None:
    assert np.array_equal(digits.test.labels, load_splits("digits", seed=0).test.labels)
    assert not np.array_equal(digits.test.labels, load_splits("digits", seed=1).test.labels)


def test_scaling_learns_from_the_training_split_alone(mnist: Path) -> None:
    before = load_splits(f"idx:{mnist}", seed=0)
    (mnist / "t10k-images-idx3-ubyte").write_bytes(idx(np.full((12, 4, 3), 255)))
    after = load_splits(f"idx:{mnist}", seed=0)
    assert np.array_equal(before.train.inputs, after.train.inputs)
    assert not np.array_equal(before.test.inputs, after.test.inputs)


def test_images_without_any_contrast_stay_finite(mnist: Path) -> None:
    (mnist / "train-images-idx3-ubyte").write_bytes(idx(np.full((60, 4, 3), 7)))
    assert np.isfinite(load_splits(f"idx:{mnist}", seed=0).test.inputs).all()


@pytest.mark.parametrize(("examples", "batch_size"), [(10, 4), (8, 4), (3, 8), (1, 1), (1149, 32)])
def test_every_example_stands_in_one_batch(examples: int, batch_size: int) -> None:
    rows, valid = shuffled_batches(jax.random.key(0), examples, batch_size)
    assert rows.shape == valid.shape == (-(-examples // batch_size), batch_size)
    assert list(range(examples)) == sorted(rows[valid].tolist())


@pytest.mark.parametrize("batch_size", [1, 4, 7, 50])
def test_an_epoch_uses_every_example_once(batch_size: int) -> None:
    def count(state: TrainState, batch: Any) -> tuple[TrainState, jax.Array]:
        numbers, _, valid = batch
        return state._replace(params=state.params.at[numbers].add(valid)), numbers.sum()

    numbers = jnp.arange(50)
    state = TrainState(jnp.zeros(50, int), (), jnp.zeros((), int), jax.random.key(0))
    state, _ = make_epoch(count, batch_size)(state, jax.random.key(1), numbers, numbers)
    assert state.params.tolist() == [1] * 50


# The fit


@pytest.fixture(scope="module")
def fitted(digits: Splits) -> Fitted:
    return fit(digits.train, digits.validation, FAST)


def test_a_fit_learns(digits: Splits, fitted: Fitted) -> None:
    assert fitted.epochs[-1].loss < fitted.epochs[0].loss
    assert evaluate(fitted.params, digits.test).accuracy > 0.8


def test_the_best_epoch_by_validation_is_kept(digits: Splits, fitted: Fitted) -> None:
    best = max(fitted.epochs, key=lambda epoch: (epoch.validation_accuracy, -epoch.validation_loss))
    assert fitted.best == best
    assert evaluate(fitted.params, digits.validation).accuracy == best.validation_accuracy


def test_a_score_covers_the_whole_split(digits: Splits, fitted: Fitted) -> None:
    score = evaluate(fitted.params, digits.test)
    signal = digits.test.inputs
    for layer in fitted.params[:-1]:
        signal = np.maximum(signal @ np.asarray(layer.weights) + np.asarray(layer.biases), 0)
    logits = signal @ np.asarray(fitted.params[-1].weights) + np.asarray(fitted.params[-1].biases)
    assert score.examples == len(digits.test)
    assert score.correct == (logits.argmax(axis=1) == digits.test.labels).sum()


def test_the_test_split_is_touched_once_and_last(
    digits: Splits, fitted: Fitted, monkeypatch: pytest.MonkeyPatch
) -> None:
    poisoned = Examples(np.full_like(digits.test.inputs, np.nan), digits.test.labels)
    scored: list[Examples] = []

    def spy(params: Any, examples: Examples) -> Score:
        scored.append(examples)
        return evaluate(params, examples)

    monkeypatch.setattr(reference.classifier, "evaluate", spy)
    monkeypatch.setattr(reference.datasets, "load_splits", lambda *_: dataclasses.replace(digits, test=poisoned))
    result = json.loads(run("--json").stdout)
    assert [examples is poisoned for examples in scored] == [False] * FAST.epochs + [True]
    assert result["epochs"] == [dataclasses.asdict(epoch) for epoch in fitted.epochs]  # so it repeats, too


# The command


def test_the_result_is_one_line_on_standard_output(monkeypatch: pytest.MonkeyPatch, fitted: Fitted) -> None:
    monkeypatch.setattr(reference.classifier, "fit", lambda *_: fitted)
    result = run()
    assert result.exit_code == 0
    assert result.stdout.startswith("test accuracy 0.")
    assert f"parameters of epoch {fitted.best.number} of {FAST.epochs}" in result.stdout
    assert result.stdout.count("\n") == 1
    assert result.stderr == "digits: 1149 train, 288 validation, 360 test examples of 64 features, 10 classes\n"
    assert run("--quiet").stderr == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["--epochs", "0"],
        ["--batch-size", "-1"],
        ["--seed", "-1"],
        ["--hidden", "16,x"],
        ["--hidden", ""],
        ["--dropout", "1"],
        ["--learning-rate", "0"],
    ],
)
def test_options_out_of_range_are_refused(arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert f"Invalid value for '{arguments[0]}'" in result.stderr


def test_divergence_is_a_clear_error() -> None:
    result = run("--learning-rate", "1e30")
    assert result.exit_code == 1
    assert result.stderr.endswith("Error: the loss is not finite in epoch 1: try a smaller --learning-rate\n")


def test_runs_as_a_module(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "reference.train", "--data", f"idx:{tmp_path / 'none'}"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1)


def test_help_imports_no_jax() -> None:
    code = "import sys, reference.train; assert 'jax' not in sys.modules; assert 'sklearn' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_reading_needs_the_whole_header(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes([0, 0, 8, 3, 0]))
    with pytest.raises(DataError, match="truncated"):
        read_idx(tmp_path / "file")
