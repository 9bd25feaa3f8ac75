"""What mixes are worth by all that was measured: their own draws, and those of mixes near them.

One draw of a mix is a lucky or an unlucky set, and the lowest of many is likely a lucky one. Mixes that are nearly
the same have nearly the same KL, so their neighbours tell how lucky a draw was.
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def smoothed(places: FloatArray, values: FloatArray) -> FloatArray:
    """Means of a Gaussian process at the places that it was fitted to (Rasmussen & Williams 2006, ch. 2 and 5).

    Its length and its noise, the spread of draws, are those under which the values are likeliest, as far as a
    climb from a length of half the space finds them: a likelihood with two tops may have a higher one.

    Args:
        places: [evaluations, dimensions], numbers of about 0 to 1; one place may be there several times.
        values: [evaluations].

    Returns:
        [evaluations], in the unit of the values; the same for evaluations of one place.
    """
    if len(values) < 3 or np.ptp(values) == 0:
        return _means(places, values)
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    kernel = ConstantKernel(1.0, (1e-2, 1e2)) * RBF(0.5, (0.1, 10.0)) + WhiteKernel(0.5, (1e-3, 10.0))
    process = GaussianProcessRegressor(kernel, normalize_y=True)
    with warnings.catch_warnings():
        # A length or a noise at its limit, as on a flat surface, is an answer.
        warnings.simplefilter("ignore")
        means: FloatArray = process.fit(places, values).predict(places)
    return means


def _means(places: FloatArray, values: FloatArray) -> FloatArray:
    """Of each place, the plain mean of its values."""
    return np.array([values[(places == place).all(axis=1)].mean() for place in places])
