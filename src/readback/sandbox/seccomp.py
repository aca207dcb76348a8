"""Forbid by seccomp to connect, to send signals, and to change any file's rights, owner or times.

Landlock controls which files are opened and made, but not these calls. They are refused (EPERM), on the two
architectures whose numbers are here; on any other nothing is promised, and `restrict` says so.
"""

from __future__ import annotations

import ctypes
import platform
import struct
import sys

PR_SET_SECCOMP, MODE_FILTER = 22, 2  # linux/prctl.h, linux/seccomp.h
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000 | 1, 0x80000000  # the second: with errno EPERM
LOAD, EQUAL, AT_LEAST, ANSWER = 0x20, 0x15, 0x35, 0x06  # linux/bpf_common.h: instructions
NUMBER, ARCHITECTURE, SECOND = 0, 4, 24  # where the call, its architecture and its second argument stand (low half)
X32 = 0x40000000  # numbers from here on are the same calls by another convention
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # linux/audit.h
# By call: its number on x86_64 and on aarch64 (arch/x86/entry/syscalls/syscall_64.tbl, asm-generic/unistd.h).
CALLS: dict[str, tuple[int | None, int | None]] = {
    "socket": (41, 198), "socketpair": (53, 199), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201),
    "accept": (43, 202), "accept4": (288, 242), "sendto": (44, 206), "sendmsg": (46, 211), "sendmmsg": (307, 269),
    "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131), "pidfd_send_signal": (424, 424),
    "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, None), "fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "setxattrat": (463, 463),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16), "removexattrat": (466, 466),
    "utime": (132, None), "utimes": (235, None), "futimesat": (261, None), "utimensat": (280, 88),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "prlimit64": (302, 261),
    "setpriority": (141, 140), "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119),
    "ioprio_set": (251, 30), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "open_by_handle_at": (304, 265), "mount": (165, 40), "umount2": (166, 39),
    "move_mount": (429, 429), "open_tree": (428, 428), "fsopen": (430, 430), "fsmount": (432, 432),
    "pivot_root": (155, 41), "chroot": (161, 51), "unshare": (272, 97), "setns": (308, 268), "bpf": (321, 280),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "perf_event_open": (298, 241),
    "userfaultfd": (323, 282), "execve": (59, 221), "execveat": (322, 281), "mq_open": (240, 180),
    "msgget": (68, 186), "semget": (64, 190), "shmget": (29, 194),
}  # fmt: skip
# Calls that are refused with some of their second arguments only: who gets a signal of a descriptor (fcntl.h,
# asm/ioctls.h), and what would be typed into a terminal.
WITH_SECOND: dict[str, tuple[int, int, tuple[int, ...]]] = {
    "fcntl": (72, 25, (8, 10, 15)),
    "ioctl": (16, 29, (0x8901, 0x8902, 0x5412, 0x541C)),
}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def restrict() -> bool:
    """Refuse these calls to this process and all that it starts; it must have given up new privileges before.

    Returns False where the kernel, or this architecture, does not allow it.
    """
    machine = platform.machine()
    if (
        sys.platform != "linux"
        or machine not in ARCHITECTURES
        or struct.calcsize("P") != ctypes.sizeof(ctypes.c_uint64)
    ):
        return False
    code = b"".join(struct.pack("=HBBI", *instruction) for instruction in _list_instructions(machine))
    buffer = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // 8, ctypes.cast(buffer, ctypes.c_void_p).value)
    libc = ctypes.CDLL(None, use_errno=True)
    return bool(libc.prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(program), 0, 0) == 0)


def _list_instructions(machine: str) -> list[tuple[int, int, int, int]]:
    """Return the filter: (instruction, steps if it is true, steps if it is false, value) each."""
    column = tuple(ARCHITECTURES).index(machine)
    instructions = [
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 1, 0, ARCHITECTURES[machine]),
        (ANSWER, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
    ]
    if machine == "x86_64":
        instructions += [(AT_LEAST, 0, 1, X32), (ANSWER, 0, 0, REFUSE)]
    for numbers in CALLS.values():
        number = numbers[column]
        if number is not None:
            instructions += [(EQUAL, 0, 1, number), (ANSWER, 0, 0, REFUSE)]
    for *numbers_of_call, refused in WITH_SECOND.values():
        steps = 2 + 2 * len(refused)
        instructions += [(EQUAL, 0, steps, numbers_of_call[column]), (LOAD, 0, 0, SECOND)]
        for value in refused:
            instructions += [(EQUAL, 0, 1, value), (ANSWER, 0, 0, REFUSE)]
        instructions += [(ANSWER, 0, 0, ALLOW)]
    return [*instructions, (ANSWER, 0, 0, ALLOW)]
