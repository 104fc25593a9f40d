"""Landlock: the kernel's own refusal of writes outside some folders, for this process and all that it starts."""

import contextlib
import ctypes
import os
import stat
from collections.abc import Iterable

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every architecture
_VERSION = 1  # LANDLOCK_CREATE_RULESET_VERSION
_PATH_BENEATH = 1  # LANDLOCK_RULE_PATH_BENEATH
_NO_NEW_PRIVS = 38  # linux/prctl.h: PR_SET_NO_NEW_PRIVS
_FLOOR = 2  # version 1 refuses to move a file from one folder to another, wherever they lie

# linux/landlock.h: LANDLOCK_ACCESS_FS_*
_WRITE_FILE, _REFER, _TRUNCATE = 1 << 1, 1 << 13, 1 << 14
_REMOVE_AND_MAKE = sum(1 << bit for bit in range(4, 13))
_SINCE = {_WRITE_FILE | _REMOVE_AND_MAKE: 1, _REFER: 2, _TRUNCATE: 3}
_OF_FILES = _WRITE_FILE | _TRUNCATE
_ABSTRACT_SOCKETS, _SIGNALS = 1 << 0, 1 << 1  # LANDLOCK_SCOPE_*, since version 6


class _Ruleset(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def version() -> int:
    """Return the version of Landlock that this kernel has in force; 0 where it has none that will do."""
    found = _call(_CREATE_RULESET, None, 0, _VERSION)
    return found if found >= _FLOOR else 0


def keep_writes_in(paths: Iterable[str]) -> bool:
    """Refuse this process, and what it starts, to change anything but these files and what lies in these folders.

    Signals to processes that it has not started are refused as well, where the kernel knows how.

    Returns:
        Whether the kernel will do so.
    """
    known = version()
    if not known:
        return False
    handled = sum(access for access, since in _SINCE.items() if known >= since)
    scoped = _ABSTRACT_SOCKETS | _SIGNALS if known >= 6 else 0
    size = 24 if known >= 6 else 8  # an older kernel refuses a longer structure than it knows
    ruleset = _call(_CREATE_RULESET, ctypes.byref(_Ruleset(handled, 0, scoped)), size, 0)
    if ruleset < 0:
        return False
    try:
        for path in paths:
            _allow(ruleset, path, handled)
        ctypes.CDLL(None).prctl(_NO_NEW_PRIVS, 1, 0, 0, 0)
        return _call(_RESTRICT_SELF, ruleset, 0) == 0
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, handled: int) -> None:
    with contextlib.suppress(OSError):  # what is not there needs no leave
        parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
        is_folder = stat.S_ISDIR(os.fstat(parent).st_mode)
        rule = _PathBeneath(handled if is_folder else handled & _OF_FILES, parent)
        _call(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0)
        os.close(parent)


def _call(number: int, *arguments: object) -> int:
    """Make a system call; -1 where it fails, or where there are no such calls."""
    try:
        call = ctypes.CDLL(None, use_errno=True).syscall
    except (OSError, TypeError, AttributeError):  # not Linux
        return -1
    call.restype = ctypes.c_long
    found: int = call(ctypes.c_long(number), *(_wide(one) for one in arguments))
    return found


def _wide(argument: object) -> object:
    """A number must fill its register; a pointer does."""
    return ctypes.c_long(argument) if isinstance(argument, int) else argument
