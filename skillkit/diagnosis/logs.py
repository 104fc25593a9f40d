"""Logs: the table of a text, whatever its form."""

from skillkit.diagnosis.objects import from_json
from skillkit.diagnosis.separated import NO_LOG, from_csv
from skillkit.diagnosis.tables import Table
from skillkit.errors import bad_input


def parsed(text: str, path: str) -> Table:
    """Return the table of a text, whose form is seen from how it begins.

    Args:
        text: CSV (with commas, semicolons, tabs or bars), JSON lines, or JSON: a list of objects, an object of lists,
            or an object with such under `log_history` (Hugging Face's `trainer_state.json`) or `history`.
        path: Its name in messages.

    Raises:
        BadInput: It is empty, or none of these.
    """
    if not text.strip():
        raise bad_input(path, "is empty: a log has a row for each update or so, with the loss")
    if "\0" in text:
        raise bad_input(path, NO_LOG)
    begin = text.lstrip()[:1]
    if begin in ("{", "["):
        return from_json(text, path)
    return from_csv(text, path)
