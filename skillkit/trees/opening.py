"""Opening: whatever a user names as the model's parameters, told by its content."""

import stat
from pathlib import Path

from skillkit.errors import BadInput, bad_input
from skillkit.files import decoded
from skillkit.trees.declared import declared_tree, decoded_json
from skillkit.trees.tree import Tree

LARGEST = 64 * 2**20  # bytes of a JSON file: a hundred thousand parameters take ten


def read_tree(name: str) -> Tree:
    """Return the tree of parameters in a file or folder; no array is loaded, and nothing in it is run.

    Args:
        name: A file of shapes in JSON.

    Raises:
        BadInput: It is none of these, or something in it is wrong.
    """
    path = Path(name)
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise bad_input(name, "is no file")
        with path.open("rb") as file:
            head = file.read(64)
            if not _is_text(head):
                raise _unknown(name, head)
            raw = head + file.read(LARGEST)
    except FileNotFoundError as error:
        raise bad_input(name, "no such file") from error
    except (OSError, ValueError) as error:  # a name with a null character is a ValueError
        raise bad_input(name, f"cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if len(raw) > LARGEST:
        raise bad_input(name, f"is longer than {LARGEST >> 20} MiB, which no JSON of shapes is")
    return tree_of_text(decoded(raw, name), name)


def tree_of_text(text: str, name: str) -> Tree:
    """Return the tree that a JSON text describes; `name` names it in messages.

    Raises:
        BadInput: It describes none.
    """
    return declared_tree(decoded_json(text, name), text, name)


def _is_text(head: bytes) -> bool:
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"["))


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
}
