"""The Merkle root of RFC 6962 over any number of leaves."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as some

from readback.review.leaves import compute_merkle_root

# The leaves and roots that the reference implementation of Certificate Transparency is tested with.
LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
ROOTS = {
    0: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    4: "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    5: "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    6: "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    7: "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
}


@pytest.mark.parametrize(("count", "root"), ROOTS.items())
def test_the_roots_of_certificate_transparency(count: int, root: str) -> None:
    assert compute_merkle_root(bytes.fromhex(leaf) for leaf in LEAVES[:count]).hex() == root


def defined(leaves: list[bytes]) -> bytes:
    """The definition of section 2.1, word for word."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\0" + leaves[0]).digest()
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    return hashlib.sha256(b"\1" + defined(leaves[:k]) + defined(leaves[k:])).digest()


@given(some.lists(some.binary(max_size=4), max_size=40))
def test_the_root_is_the_one_of_the_definition(leaves: list[bytes]) -> None:
    assert compute_merkle_root(leaves) == defined(leaves)
