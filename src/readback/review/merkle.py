"""One digest for many leaves: the SHA-256 Merkle tree hash of RFC 6962, section 2.1."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

LEAF, NODE = b"\0", b"\1"  # what a leaf and a node are hashed behind, so that neither can pass for the other


def root(leaves: Iterable[bytes]) -> bytes:
    """The 32 bytes of the tree over `leaves` in their order; of none, the hash of nothing.

    A tree of n leaves is split at the largest power of two below n. So the subtrees that are complete are those of the
    ones in n's binary form: they wait on a stack, and two of one height become the next higher one.
    """
    waiting: list[tuple[int, bytes]] = []  # (height, hash) of complete subtrees, the highest first
    for leaf in leaves:
        height, made = 0, hashlib.sha256(LEAF + leaf).digest()
        while waiting and waiting[-1][0] == height:
            height, made = height + 1, hashlib.sha256(NODE + waiting.pop()[1] + made).digest()
        waiting.append((height, made))
    if not waiting:
        return hashlib.sha256().digest()
    made = waiting.pop()[1]
    while waiting:
        made = hashlib.sha256(NODE + waiting.pop()[1] + made).digest()
    return made
