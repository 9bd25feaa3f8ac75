from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from curator.measure.unlisted import MIN_SEEN, Change, fit_change


def change(mean: float, sd: float) -> Change:
    return Change(np.array([mean]), np.array([sd**2]), np.array([True]))


@pytest.mark.parametrize(("mean", "sd", "cut"), [(0.1, 0.2, 0.0), (0.3, 1.2, 0.45), (-0.4, 0.5, 0.3)])
def test_censored_changes_are_fitted_without_bias(mean: float, sd: float, cut: float) -> None:
    generator = np.random.default_rng(3)
    values = generator.normal(mean, sd, (200, 400))
    # What is under a ceiling of its own is not seen; about `cut` of all.
    ceilings = generator.normal(mean, sd, values.shape) + stats.norm.ppf(max(cut, 1e-9)) * sd * np.sqrt(2)
    fit = fit_change(values, values >= ceilings, ceilings)
    assert fit.fitted.all()
    assert (values < ceilings).mean() == pytest.approx(cut, abs=0.02)
    assert fit.mean.mean() == pytest.approx(mean, abs=0.01 * sd)
    assert fit.variance.mean() == pytest.approx(sd**2, rel=0.01)


@pytest.mark.parametrize("last", [-30.0, -12.0, -10.2, -9.0, -3.0])
def test_an_id_below_the_list_has_the_truncated_normal_means(last: float) -> None:
    mean, sd = -10.0, 0.7
    cut = min(last, mean + 12 * sd)
    inside = integrate.quad(lambda y: stats.norm.pdf(y, mean, sd), cut - 20 * sd, cut, points=[mean])[0]
    if last > -25:  # further out the reference itself is lost in rounding
        expected = [
            integrate.quad(lambda y: f(y) * stats.norm.pdf(y, mean, sd), cut - 20 * sd, cut, points=[mean])[0]  # noqa: B023
            / inside
            for f in (float, np.exp)
        ]
        got = change(0.5, sd).below(np.array([0]), np.array([mean - 0.5]), np.array([last]))
        assert [one[0] for one in got] == pytest.approx(expected, rel=1e-6)
    else:
        logprob, mass = change(0.5, sd).below(np.array([0]), np.array([mean - 0.5]), np.array([last]))
        assert last - 0.1 < logprob[0] < last
        assert 0.9 * np.exp(last) < mass[0] <= np.exp(last)


@pytest.mark.parametrize("sd", [1e-7, 0.3, 4.0, 500.0])
@pytest.mark.parametrize("last", [-1000.0, -20.0, -1e-6])
@pytest.mark.parametrize("logprob", [-999.0, -25.0, -0.01])
def test_no_input_breaks_it(sd: float, last: float, logprob: float) -> None:
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        value, mass = change(3.0, sd).below(np.array([0]), np.array([logprob]), np.array([last]))
    assert value[0] <= last + 1e-9
    assert 0 <= mass[0] <= np.exp(last)
    assert np.isfinite(change(0.0, sd).kl_within(np.array([50_000]))).all()


def test_kl_within_is_that_of_a_normal_change_and_none_of_one_id() -> None:
    generator = np.random.default_rng(5)
    p = generator.gamma(0.5, 1.0, 200_000)
    p /= p.sum()
    for sd in (0.1, 1.0, 2.5):
        x = generator.normal(0.3, sd, len(p))
        expected = np.log((p * np.exp(x)).sum()) - (p * x).sum()
        assert change(0.3, sd).kl_within(np.array([len(p)]))[0] == pytest.approx(expected, rel=0.03)
    assert change(0.0, 2.0).kl_within(np.array([1]))[0] == 0
    assert change(0.0, 2.0).kl_within(np.array([0]))[0] == 0


def test_too_little_in_common_is_not_fitted() -> None:
    values, ceilings = np.zeros((2, 400)), np.zeros((2, 400))
    seen = np.zeros(values.shape, dtype=np.bool_)
    seen[0, -MIN_SEEN + 1 :] = True
    seen[1, -MIN_SEEN - 30 :] = True
    assert fit_change(values, seen, ceilings).fitted.tolist() == [False, True]
    # 8 of 300 that were looked for.
    seen[1] = False
    seen[1, -MIN_SEEN:] = True
    assert fit_change(values, seen, ceilings).fitted.tolist() == [False, False]
    # The others cannot be looked for.
    assert fit_change(values, seen, np.full(values.shape, -np.inf)).fitted.tolist() == [False, True]
