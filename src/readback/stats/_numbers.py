"""Check and convert the input of the statistics: finite values, histograms and cluster keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = "NDArray[Any]"


def require_finite(values: ArrayLike) -> Floats:
    """Return the values as a flat array of floats. Raises ValueError where a value is NaN or infinite."""
    import numpy as np

    array = np.asarray(values, np.float64).ravel()
    if not np.isfinite(array).all():
        raise ValueError("a value is not a finite number")
    return array


def check_histogram(values: ArrayLike, counts: ArrayLike) -> tuple[Floats, Floats]:
    """Return the values whose count is above 0, and these counts.

    Raises ValueError for a count below 0 or lengths that differ.
    """
    numbers, frequencies = require_finite(values), require_finite(counts)
    if len(numbers) != len(frequencies) or (frequencies < 0).any():
        raise ValueError("a histogram needs a count of 0 or more for each value")
    return numbers[frequencies > 0], frequencies[frequencies > 0]


def encode_clusters(values: ArrayLike, n: int) -> Floats:
    """Return cluster keys as codes 0…C−1. Raises ValueError where a key is negative (missing) or there are not n."""
    import numpy as np

    array = np.asarray(values).ravel()
    if len(array) != n:
        raise ValueError(f"{n} values have {len(array)} cluster keys")
    if n and array.min() < 0:
        raise ValueError("a row has no cluster key")
    return np.unique(array, return_inverse=True)[1].ravel()


def is_constant(values: Floats) -> bool:
    """Return True where all values are equal but for the rounding of sums, and where there are none."""
    if not len(values):
        return True
    tolerance = 1e-12 * max(1.0, float(abs(values).max()))
    return bool(abs(values - values[0]).max() <= tolerance)
