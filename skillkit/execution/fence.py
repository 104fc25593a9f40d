"""The fence: what a run may read, write and connect to while it lasts; no fence against malice."""

import os
import sys
from collections.abc import Iterable
from typing import Any

from skillkit.execution import landlock, namespaces


class Fence:
    """Keeps writes in a run's own folders, its reads off the user's files, and its connections on this machine.

    The kernel refuses writes where it can, whatever makes them. Python's own events are judged everywhere.

    Args:
        hidden: Folders of which nothing may be read but what is installed, code, and the folders of packages.
        sealed: Folders of which that may not be read either.
    """

    def __init__(self, hidden: Iterable[str], sealed: Iterable[str]) -> None:
        self.hidden = _folders(path for path in hidden if os.path.realpath(path) != os.sep)
        self.sealed = _folders(sealed)
        self.installed = _folders([sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix])
        self.own: tuple[str, ...] = ()
        self.streams: tuple[str, ...] = ()
        self.compiling = False

    def warm(self, folder: str) -> None:
        """Judge from now on what this process does that imports for others to come, and what is forked from it.

        Args:
            folder: Where it may write; the compiled modules of what is installed are written beside it too.
        """
        self.own = _folders([folder])
        self.compiling = True
        sys.addaudithook(self.audit)

    def close(self, scratch: str, streams: Iterable[str], shared: Iterable[str]) -> None:
        """Put up the fence around a run, until this process ends.

        Args:
            scratch: The run's own folder.
            streams: The files that its output goes to.
            shared: Folders beside its own that it may write to.
        """
        landlock.keep_writes_in([scratch, *shared, *streams, *_OPEN_TO_ALL, *_DEVICES])
        if not self.own:
            sys.addaudithook(self.audit)
        self.own, self.streams = _folders([scratch, *shared]), tuple(map(os.path.realpath, streams))
        self.compiling = False

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Judge one event of Python's."""
        if event == "open" and isinstance(arguments[0], str | bytes):
            if _writes(arguments[1], arguments[2]):
                self.hold(arguments[0])
            else:
                self.look(arguments[0])
        elif event in ("os.listdir", "os.scandir") and isinstance(arguments[0], str | bytes):
            self.look(arguments[0], is_folder=True)
        elif event in _CHANGES:
            for position, folder in _CHANGES[event]:
                path = arguments[position]
                if isinstance(path, str | bytes):
                    self.hold(path, arguments[folder] if folder else -1, follows=event in _FOLLOW)
        elif event in _CONNECTIONS:
            self.reach(arguments[1])
        elif event in _QUESTIONS:
            self.reach(arguments[:1])

    def look(self, path: str | bytes, is_folder: bool = False) -> None:
        """Refuse to read a hidden path, unless it is installed, is code, or lies in a package."""
        full = os.path.abspath(os.fsdecode(path))
        inside = full + os.sep
        if not inside.startswith(self.hidden + self.sealed) or inside.startswith(self.own):
            return
        if inside.startswith(self.sealed) or not (inside.startswith(self.installed) or _is_code(full, is_folder)):
            raise PermissionError(f"reads what its readers do not have: {full}")

    def hold(self, path: str | bytes, folder: int = -1, follows: bool = True) -> None:
        """Refuse to write outside the run's own folders.

        Args:
            path: Of the file.
            folder: An open folder that the path may be relative to.
            follows: Whether a link is followed, or is itself what is changed.
        """
        if path in (b":memory:", ":memory:"):
            return
        base = "" if folder < 0 else f"/proc/self/fd/{folder}"
        full = os.path.join(base, os.fsdecode(path))
        parent, name = os.path.split(full)
        own_name = not follows and name not in ("", ".", "..")
        real = os.path.join(os.path.realpath(parent), name) if own_name else os.path.realpath(full)
        if (real + os.sep).startswith((*self.own, *_OPEN_TO_ALL)) or real in (*_DEVICES, *self.streams):
            return
        if not (self.compiling and "__pycache__" in real and real.startswith(self.installed)):
            raise PermissionError(f"writes outside its scratch folder: {real}")

    def reach(self, address: object) -> None:
        """Refuse to connect to what is not of this machine, or to a socket outside the run's own folders."""
        if isinstance(address, tuple):
            host = address[0] if address else None
            if isinstance(host, str | bytes | bytearray) and not _is_here(host):
                raise PermissionError(f"connects to {host!r}: a run has no network beyond this machine")
        elif isinstance(address, str | bytes) and address[:1] not in ("", "\0", b"", b"\0"):
            self.hold(address)


def fence_words() -> str:
    """Return what the fence keeps from runs on this system, and what it does not."""
    isolated = _in_a_child(namespaces.isolate)
    words = ["Python's own reads of your files, and its writes and connections elsewhere, are refused."]
    if known := landlock.version():
        words.append(f"So are other writes, those of native code and of programs too (Landlock {known}).")
    else:
        words.append("Writes of native code are not: this system has no Landlock that is in force.")
    if isolated:
        words.append("Runs have a loopback of their own and no other network, and a shared memory of their own.")
    else:
        words.append("Connections of native code, and shared memory, are not: this system allows no namespaces.")
    words.append("Reads of native code are not refused, and nothing here withstands malice.")
    return " ".join(words)


def _in_a_child(question: Any) -> bool:
    child = os.fork()
    if child == 0:
        os._exit(0 if question() else 1)
    return os.waitpid(child, 0)[1] == 0


_CODE = (".py", ".pyc", ".so")
_OPEN_TO_ALL = (f"{namespaces.SHARED_MEMORY}/", "/dev/pts/")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx")
_CONNECTIONS = ("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg")
_QUESTIONS = ("socket.getaddrinfo", "socket.gethostbyname")  # which leave this machine by themselves
_FOLLOW = ("os.truncate", "os.chmod", "os.chown", "os.utime", "sqlite3.connect")
_CHANGES = {  # where the paths stand among an event's arguments, each with the open folder that it is relative to
    "os.mkdir": ((0, 2),),
    "os.rename": ((0, 2), (1, 3)),
    "os.remove": ((0, 1),),
    "os.rmdir": ((0, 1),),
    "os.link": ((0, 2), (1, 3)),
    "os.symlink": ((1, 2),),  # the first is a text, which may lead anywhere
    "os.truncate": ((0, 0),),
    "os.chmod": ((0, 2),),
    "os.chown": ((0, 3),),
    "os.utime": ((0, 3),),
    "shutil.rmtree": ((0, 0),),
    "sqlite3.connect": ((0, 0),),
}


def _is_here(host: str | bytes | bytearray) -> bool:
    name = host if isinstance(host, str) else host.decode("utf-8", "replace")
    return name in _HERE or name.startswith(("127.", "::ffff:127.")) or name == os.uname().nodename


_HERE = ("", "localhost", "0.0.0.0", "::", "::1")


def _is_code(path: str, is_folder: bool) -> bool:
    """Return whether a path is code, or belongs to a package, or is a folder that is searched for them."""
    if path.endswith(_CODE) or (is_folder and path in sys.path):
        return True
    return os.path.exists(os.path.join(path if is_folder else os.path.dirname(path), "__init__.py"))


def _folders(paths: Iterable[str]) -> tuple[str, ...]:
    """Return paths, and what they are links to, in a form that the paths of their content start with."""
    return tuple(
        {one.rstrip(os.sep) + os.sep for path in paths for one in (os.path.abspath(path), os.path.realpath(path))}
    )


def _writes(mode: object, flags: object) -> bool:
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND))
