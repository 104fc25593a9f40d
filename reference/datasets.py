"""Data sets of labelled images: bundled digits, OpenML, and the IDX files of MNIST and its kin."""

import gzip
import http.client
import importlib.util
import socket
import warnings
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

TEST_FRACTION = 0.2
VALIDATION_FRACTION = 0.2  # of what is not in the test split
SECONDS_TO_ANSWER = 30.0  # before a download counts as failed
DIGITS = "--data digits needs neither files nor network"
ELSEWHERE = f"{DIGITS}, --data idx:DIR reads MNIST's files from a folder"
AGAIN = f"download the file again; {DIGITS}"


class DataError(Exception):
    """Data that cannot be read, said in one line with what else can be done."""


@dataclass(frozen=True)
class Examples:
    """Labelled examples.

    Args:
        inputs: float32 (examples, features).
        labels: int32 (examples,), classes from 0 on.
    """

    inputs: NDArray[np.float32]
    labels: NDArray[np.int32]

    def __len__(self) -> int:
        """Return the number of examples."""
        return len(self.labels)

    def take(self, rows: NDArray[np.int64]) -> "Examples":
        """Return these rows, in this order."""
        return Examples(self.inputs[rows], self.labels[rows])


@dataclass(frozen=True)
class Splits:
    """A data set cut into three: to fit, to choose by, and to touch once at the end."""

    train: Examples
    validation: Examples
    test: Examples

    @property
    def classes(self) -> int:
        """Return the number of classes."""
        return int(self.train.labels.max()) + 1


def load_splits(source: str, seed: int) -> Splits:
    """Load a data set, split it so that each split has the classes in equal shares, and scale its inputs.

    Args:
        source: `digits`, `openml:NAME` or `idx:DIR`. IDX files bring their own test split.
        seed: Decides which example is in which split.

    Returns:
        Inputs are centred and divided by one number, both learnt from the training split.

    Raises:
        DataError: The data is missing, damaged or cannot be split.
    """
    kind, _, name = source.partition(":")
    if kind == "idx" and name:
        rest, test = (_examples(*read_idx_pair(Path(name).expanduser(), part)) for part in ("train", "t10k"))
    elif kind == "openml" and name:
        rest, test = _split(_examples(*_fetch_openml(name)), TEST_FRACTION, seed)
    elif source == "digits":
        rest, test = _split(_examples(*_load_digits()), TEST_FRACTION, seed)
    else:
        raise DataError(f"no data set '{source}': give digits, openml:NAME (openml:mnist_784) or idx:DIR")
    return _scaled(*_split(rest, VALIDATION_FRACTION, seed), test)


def read_idx(path: Path) -> NDArray[np.uint8]:
    """Read an IDX file of unsigned bytes, gzipped or not.

    The format: two zero bytes, the element type (8 means unsigned byte), the number of dimensions, each dimension as a
    big-endian 32-bit integer, then the elements (http://yann.lecun.com/exdb/mnist).

    Raises:
        DataError: It is missing, damaged or of another format.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({_reason(error)}); {DIGITS}") from error
    try:
        if content[:2] == b"\x1f\x8b":  # gzip's magic number; the name may say otherwise
            content = gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path}: damaged ({_reason(error)}): {AGAIN}") from error
    if len(content) < 4 or content[:2] != b"\0\0" or not 1 <= content[3] <= 4:
        raise DataError(f"{path}: not an IDX file (starts with {content[:4].hex(' ') or 'nothing'}): {AGAIN}")
    if content[2] != 8:
        raise DataError(
            f"{path}: holds elements of type 0x{content[2]:02x}; only unsigned bytes (0x08) are read; {DIGITS}"
        )
    header = 4 + 4 * content[3]
    shape = [int.from_bytes(content[at : at + 4], "big") for at in range(4, header, 4)]
    expected, found = header + int(np.prod(shape, dtype=object)), len(content)
    if found != expected:
        state = "truncated" if found < expected else "damaged"
        raise DataError(f"{path}: {state} ({found} bytes where {expected} are due): {AGAIN}")
    return np.frombuffer(content, np.uint8, offset=header).reshape(shape)


def read_idx_pair(folder: Path, part: str) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Read the images and labels of `train` or `t10k` from a folder.

    Raises:
        DataError: A file is missing or damaged, or the two do not belong together.
    """
    images_path, labels_path = _find(folder, f"{part}-images-idx3-ubyte"), _find(folder, f"{part}-labels-idx1-ubyte")
    images, labels = read_idx(images_path), read_idx(labels_path)
    if images.ndim != 3 or labels.ndim != 1:
        shapes = f"images of shape {images.shape} and labels of shape {labels.shape}"
        raise DataError(f"{folder}: holds {shapes}: are the files of '{part}' swapped? {AGAIN}")
    if len(images) != len(labels):
        raise DataError(f"{labels_path}: {len(labels)} labels for {len(images)} images in {images_path.name}: {AGAIN}")
    return images, labels


def _find(folder: Path, name: str) -> Path:
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder; {DIGITS}")
    dotted = name.replace("-idx", ".idx")  # as some archives name them
    candidates = [folder / f"{stem}{end}" for stem in (name, dotted) for end in ("", ".gz")]
    for path in candidates:
        if path.is_file():
            return path
    raise DataError(f"{folder}: holds no {name} or {name}.gz; {DIGITS}")


def _load_digits() -> tuple[Any, Any]:
    from sklearn.datasets import load_digits

    digits = load_digits()
    return digits.data, digits.target


def _fetch_openml(name: str) -> tuple[Any, Any]:
    from sklearn.datasets import fetch_openml

    parser = "pandas" if importlib.util.find_spec("pandas") else "liac-arff"  # slower and without dependencies
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(SECONDS_TO_ANSWER)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about retries and versions; what matters is raised
            bunch = fetch_openml(name, as_frame=False, parser=parser, n_retries=1)
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise DataError(f"openml:{name} cannot be loaded ({_reason(error)}); {ELSEWHERE}") from error
    finally:
        socket.setdefaulttimeout(before)
    if bunch.target is None:
        raise DataError(f"openml:{name} has no labels; {ELSEWHERE}")
    return bunch.data, np.unique(bunch.target, return_inverse=True)[1]


def _reason(error: BaseException) -> str:
    text = getattr(error, "strerror", None) or getattr(error, "reason", None) or error
    return " ".join(str(text).split()) or type(error).__name__


def _examples(inputs: ArrayLike, labels: ArrayLike) -> Examples:
    try:
        numbers = np.asarray(inputs, np.float32)
    except (TypeError, ValueError) as error:
        raise DataError(f"not every feature is a number ({_reason(error)}); {ELSEWHERE}") from error
    if not numbers.size:
        raise DataError(f"the data set is empty; {ELSEWHERE}")
    if not np.isfinite(numbers).all():
        raise DataError(f"some features are missing or not finite; {ELSEWHERE}")
    return Examples(numbers.reshape(len(numbers), -1), np.asarray(labels, np.int32))


def _split(examples: Examples, fraction: float, seed: int) -> tuple[Examples, Examples]:
    from sklearn.model_selection import train_test_split

    rows = np.arange(len(examples))
    try:
        kept, held_out = train_test_split(rows, test_size=fraction, random_state=seed, stratify=examples.labels)
    except ValueError as error:
        raise DataError(f"too few examples to split by class ({_reason(error)}); {ELSEWHERE}") from error
    return examples.take(kept), examples.take(held_out)


def _scaled(train: Examples, validation: Examples, test: Examples) -> Splits:
    if test.inputs.shape[1] != train.inputs.shape[1]:
        sizes = f"{train.inputs.shape[1]} and {test.inputs.shape[1]}"
        raise DataError(f"training and test images differ in size, {sizes} pixels; {DIGITS}")
    if test.labels.max() > train.labels.max():
        raise DataError(f"the test split has classes that the training split lacks; {DIGITS}")
    mean = train.inputs.mean(axis=0)
    scale = (train.inputs - mean).std() or 1.0  # one for all: a rarely lit pixel's own would blow it up
    parts = (Examples((part.inputs - mean) / scale, part.labels) for part in (train, validation, test))
    return Splits(*parts)
