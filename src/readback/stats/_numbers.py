"""What every method asks of its numbers first: that they are numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = "NDArray[Any]"


def finite(values: ArrayLike) -> Floats:
    """The values as a flat array of floats. Raises ValueError where one is NaN or infinite: it is nobody's score."""
    import numpy as np

    array = np.asarray(values, np.float64).ravel()
    if not np.isfinite(array).all():
        raise ValueError("a value is not a finite number")
    return array


def histogram(values: ArrayLike, counts: ArrayLike) -> tuple[Floats, Floats]:
    """Values that were met, with how often. Raises ValueError for a count below 0 or lengths that differ."""
    one, many = finite(values), finite(counts)
    if len(one) != len(many) or (many < 0).any():
        raise ValueError("a histogram needs a count of 0 or more for each value")
    return one[many > 0], many[many > 0]


def codes(values: ArrayLike, n: int) -> Floats:
    """Cluster keys as codes 0…C−1. Raises ValueError where one is negative (missing) or their number is not n."""
    import numpy as np

    array = np.asarray(values).ravel()
    if len(array) != n:
        raise ValueError(f"{n} values have {len(array)} cluster keys")
    if n and array.min() < 0:
        raise ValueError("a row has no cluster key")
    return np.unique(array, return_inverse=True)[1].ravel()


def constant(values: Floats) -> bool:
    """True where all values are equal but for the rounding of sums."""
    return not len(values) or bool(abs(values - values[0]).max() <= 1e-12 * max(1.0, float(abs(values).max())))
