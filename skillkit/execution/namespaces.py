"""Namespaces: a network and shared memory of a process's own, where the system allows that."""

import contextlib
import ctypes
import fcntl
import os
import socket
import struct

_NEW_USER, _NEW_MOUNTS, _NEW_IPC, _NEW_NETWORK = 0x10000000, 0x00020000, 0x08000000, 0x40000000  # linux/sched.h
_RECURSIVELY_PRIVATE = 0x4000 | 0x40000  # linux/mount.h: MS_REC | MS_PRIVATE
_NO_SETUID_NO_DEVICES = 0x2 | 0x4  # MS_NOSUID | MS_NODEV
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 0x1  # linux/sockios.h, linux/if.h
SHARED_MEMORY = "/dev/shm"


def isolate() -> bool:
    """Give this process, and what it starts, a loopback device and a shared memory of its own, and no other network.

    Returns:
        Whether it has them; where it has not, nothing has changed.
    """
    child = os.fork()  # what is refused half-way leaves a process without a user, so one tries that has nothing to lose
    if child == 0:
        done = False
        with contextlib.suppress(BaseException):
            done = _isolated()
        os._exit(0 if done else 1)
    return os.waitpid(child, 0)[1] == 0 and _isolated()


def _isolated() -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.geteuid(), os.getegid()
    own = _NEW_USER if user else 0  # root needs none, and would lose the files of other users in it
    if libc.unshare(own | _NEW_MOUNTS | _NEW_IPC | _NEW_NETWORK):
        return False
    if own:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    elif libc.mount(None, b"/", None, _RECURSIVELY_PRIVATE, None):
        return False
    _bring_up("lo")
    if not os.path.isdir(SHARED_MEMORY):
        return True
    return not libc.mount(b"tmpfs", SHARED_MEMORY.encode(), b"tmpfs", _NO_SETUID_NO_DEVICES, b"mode=1777")


def _bring_up(device: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sH14x", device.encode(), 0)
        flags = struct.unpack("16sH14x", fcntl.ioctl(any_socket, _GET_FLAGS, request))[1]
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sH14x", device.encode(), flags | _UP))
