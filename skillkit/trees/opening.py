"""Opening: whatever a user names as the model's parameters, told by its content."""

import codecs
import stat
from pathlib import Path

from skillkit.errors import BadInput, bad_input
from skillkit.files import decoded
from skillkit.trees.declared import declared_tree, decoded_json
from skillkit.trees.evaluating import evaluated_tree, is_function
from skillkit.trees.huggingface import KIND, configured_tree
from skillkit.trees.orbax import orbax_item, orbax_tree
from skillkit.trees.safetensors import INDEX, indexed_tree, safetensors_tree
from skillkit.trees.tree import Tree

LARGEST = 64 * 2**20  # bytes of a JSON file: a hundred thousand parameters take ten


def read_tree(name: str, importing: bool = False) -> Tree:
    """Return the tree of parameters in a file or folder; no array is loaded, and nothing in it is run.

    Args:
        name: A file of shapes in JSON, a safetensors file or its index, the config.json of one of
            Hugging Face's models, a folder with one of these, an Orbax checkpoint, or `module:function`.
        importing: Whether the latter may be imported.

    Raises:
        BadInput: It is none of these, or something in it is wrong.
    """
    try:
        path = Path(name)
        if is_function(name) and not path.exists():
            return _evaluated(name, importing)
        if path.is_dir():
            path = _inside(path)
        if path.is_dir():
            return orbax_tree(path, name)
        if not stat.S_ISREG(path.stat().st_mode):
            raise bad_input(name, "is neither a file nor a folder")
        with path.open("rb") as file:
            head = file.read(64)
        if path.suffix == ".safetensors" or _is_header(head):
            return safetensors_tree(path)
        if not _is_text(head):
            raise _unknown(str(path), head)
        return _described(path)
    except FileNotFoundError as error:
        raise bad_input(name, "no such file") from error
    except (OSError, ValueError) as error:  # a name with a null character is a ValueError
        raise bad_input(name, f"cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _evaluated(name: str, importing: bool) -> Tree:
    if not importing:
        raise bad_input(name, "names a function, and no file: --allow-import imports its module and calls it")
    return evaluated_tree(name)


def _inside(folder: Path) -> Path:
    """Return the file, or in a checkpoint the folder, that says what is in a folder."""
    found = [folder / name for name in _TELLING if (folder / name).is_file()]
    item = found[0] if found else orbax_item(folder)
    if item is None:
        raise bad_input(folder, f"holds neither {' nor '.join(_TELLING)} nor an Orbax checkpoint")
    return item


_TELLING = ("model.safetensors.index.json", "model.safetensors", "config.json")  # what is exact first


def _described(path: Path) -> Tree:
    """Return the tree that a JSON file describes."""
    with path.open("rb") as file:
        raw = file.read(LARGEST + 1)
    if len(raw) > LARGEST:
        raise bad_input(path, f"is longer than {LARGEST >> 20} MiB, which no JSON of shapes is")
    text = decoded(raw, str(path))
    value = decoded_json(text, str(path))
    if isinstance(value, dict) and INDEX in value:
        return indexed_tree(value, path)
    if isinstance(value, dict) and KIND in value and not isinstance(value[KIND], dict | list):
        return configured_tree(value, str(path))
    return declared_tree(value, text, str(path))


def _is_header(head: bytes) -> bool:
    # the length of a header, which is shorter than four GiB, and its first brace; no text has null characters
    return head[4:9] == b"\0\0\0\0{"


def _is_text(head: bytes) -> bool:
    marked = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # as PowerShell writes it
    return head.startswith(marked) or head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"["))


def _unknown(name: str, head: bytes) -> BadInput:
    kind = next((kind for start, kind in _KINDS.items() if head.startswith(start)), "")
    if kind:
        return bad_input(name, f"is {kind}, which cannot be read without loading it: {_INSTEAD}")
    return bad_input(name, f"holds no shapes that can be read: {_INSTEAD}")


_INSTEAD = 'write the shapes as JSON, {"path": {"shape": [512, 512], "dtype": "float32"}}; the README says how'
_KINDS = {
    b"\x80\x02": "a pickle",
    b"\x80\x03": "a pickle",
    b"\x80\x04": "a pickle",
    b"\x80\x05": "a pickle",
    b"PK\x03\x04": "a ZIP archive, as torch.save and numpy.savez write them",
    b"\x93NUMPY": "a NumPy array",
    b"\x89HDF": "an HDF5 file",
    b"GGUF": "a GGUF file",
    b"version https://git-lfs": "a pointer to a file that git-lfs has not fetched",
}
