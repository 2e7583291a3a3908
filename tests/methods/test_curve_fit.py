"""The least-squares filter: against polynomials, dense least squares, SciPy's splines, itself."""

from __future__ import annotations

import tracemalloc
from functools import cache

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from scipy.interpolate import BSpline

from poise import rotations
from poise.arrays import Array
from poise.errors import BadShape, BadValue
from poise.methods.filter.curve_fit import CurveFit
from poise.methods.filter.sliding_fit import (
    SlidingFit,
    component_rates,
    fit_rotations,
    on_side_of,
    onto_rotations,
)
from poise.motion import differentiate
from poise.samples import walking

RATE_HZ = 30.0
LENGTHS = [1, 2, 3, 5, 8, 9, 40, 75, 150]


def polynomial_data(frames: int, degree: int, columns: int = 3) -> Array:
    """(3, F, columns) positions, velocities, accelerations of random polynomials."""
    rng = np.random.default_rng(12345)
    t = np.arange(frames) / RATE_HZ
    curves = [Polynomial(rng.normal(size=degree + 1)) for _ in range(columns)]
    return np.array([[c.deriv(k)(t) for c in curves] for k in range(3)]).transpose(0, 2, 1)


def random_data(frames: int, columns: int = 4) -> Array:
    return np.random.default_rng(54321).normal(size=(3, frames, columns))


@cache
def walk_data() -> Array:
    """(3, 301, 88) quaternion components of a walk and central differences, at 30 Hz."""
    clip = walking(10.0, RATE_HZ).clip
    rates = differentiate(clip)
    q = rotations.continuous(clip.rotations_wxyz)
    first, second = component_rates(
        q, rates.angular_velocities_rad_s, rates.angular_accelerations_rad_s2
    )
    return np.stack([x.reshape(len(q), -1) for x in (q, first, second)])


def slid(sliding: SlidingFit, data: Array) -> Array:
    """All of a stream, (3, F, C), each frame checked to come when it should."""
    given: list[Array] = []
    for f in range(data.shape[1]):
        fitted = sliding.push(*data[:, f])
        assert (fitted is None) == (f < sliding.latency_frames)
        if fitted is not None:
            given.append(fitted.copy())
    rest = np.stack(sliding.finish(), axis=1)
    return np.concatenate([np.reshape(given, (-1, 3, data.shape[2])), rest]).transpose(1, 0, 2)


def spline(fit: CurveFit, controls: Array) -> BSpline:
    """The same curve as SciPy sees it."""
    degree, spacing = fit.basis.degree, fit.basis.frames_per_knot / fit.basis.rate_hz
    knots = (np.arange(len(controls) + degree + 1) - degree) * spacing
    return BSpline(knots, controls, degree)


@pytest.mark.parametrize("frames", LENGTHS)
@pytest.mark.parametrize("knot_frames", [1, 2, 4, 1000])
@pytest.mark.parametrize("degree", [3, 5])
def test_polynomials_of_the_degree_come_back_as_they_are(
    frames: int, knot_frames: int, degree: int
) -> None:
    data = polynomial_data(frames, degree)
    fitted = CurveFit(frames, RATE_HZ, degree=degree, knot_s=knot_frames / RATE_HZ).fit(*data)
    for got, wanted in zip(fitted, data, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())


@pytest.mark.parametrize("reach_in_knots", [0.0011, 900.0])
@pytest.mark.parametrize("frames", [2, 100])
def test_digits_survive_weights_that_are_almost_too_lopsided(
    reach_in_knots: float, frames: int
) -> None:
    data = polynomial_data(frames, 3)
    beta = (reach_in_knots / RATE_HZ) ** 2
    fitted = CurveFit(frames, RATE_HZ, degree=5, knot_s=1 / RATE_HZ, beta=beta).fit(*data)
    for got, wanted in zip(fitted, data, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-8 * np.abs(wanted).max())


def test_a_cubic_curve_does_not_follow_a_quintic() -> None:
    data = polynomial_data(150, 5)
    fitted = CurveFit(150, RATE_HZ, degree=3, knot_s=1.0).fit(*data)
    assert np.abs(fitted[0] - data[0]).max() > 1e-3


@pytest.mark.parametrize("frames", [2, 3, 9, 30])
@pytest.mark.parametrize("degree", [3, 5])
@pytest.mark.parametrize("time_unit_s", [1.0, 1 / 30])
def test_the_fit_is_the_one_of_dense_weighted_least_squares(
    frames: int, degree: int, time_unit_s: float
) -> None:
    beta, data = 0.1, random_data(frames)
    fit = CurveFit(frames, RATE_HZ, degree=degree, beta=beta, time_unit_s=time_unit_s)
    basis = spline(fit, np.eye(fit.control_count))
    t = np.arange(frames) / RATE_HZ
    rows = np.stack([basis.derivative(k)(t) if k else basis(t) for k in range(3)])
    # Velocities and accelerations per unit of time, with the weights of the paper.
    scale = np.array([1.0, np.sqrt(beta) * time_unit_s, beta * time_unit_s**2])[:, None, None]
    solved = np.linalg.lstsq(
        (scale * rows).reshape(3 * frames, -1), (scale * data).reshape(3 * frames, -1), rcond=1e-15
    )[0]
    for got, wanted in zip(fit.fit(*data), rows @ solved, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-7 * np.abs(wanted).max())


@pytest.mark.parametrize("degree", [3, 5])
def test_inconsistent_input_becomes_one_curve_and_its_derivatives(degree: int) -> None:
    data = random_data(50)
    fit = CurveFit(50, RATE_HZ, degree=degree)
    curve = spline(fit, fit.control_points(*data))
    t = np.arange(50) / RATE_HZ
    fitted = fit.fit(*data)
    step = 1e-4
    inner = t[1:-1]
    slope = (curve(inner + step) - curve(inner - step)) / (2 * step)
    bend = (curve(inner + step) - 2 * curve(inner) + curve(inner - step)) / step**2
    np.testing.assert_allclose(fitted[0], curve(t), atol=1e-12)
    np.testing.assert_allclose(fitted[1][1:-1], slope, atol=1e-4)
    np.testing.assert_allclose(fitted[2][1:-1], bend, atol=1e-2)


def test_fitting_a_fitted_curve_changes_nothing() -> None:
    fit = CurveFit(100, RATE_HZ, degree=3)
    once = fit.fit(*random_data(100))
    for first, second in zip(once, fit.fit(*once), strict=True):
        np.testing.assert_allclose(second, first, atol=1e-9)


def test_only_the_product_of_beta_and_the_squared_unit_of_time_counts() -> None:
    data = random_data(40)
    seconds = CurveFit(40, RATE_HZ, beta=0.1, time_unit_s=1.0).fit(*data)
    frames = CurveFit(40, RATE_HZ, beta=0.1 * RATE_HZ**2, time_unit_s=1 / RATE_HZ).fit(*data)
    for a, b in zip(seconds, frames, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9)


def unmet_after(passes: int, time_unit_s: float) -> float:
    """Share of a wanted acceleration that is missing when it is asked for again and again."""
    fit = CurveFit(301, RATE_HZ, knot_s=2 / 30, time_unit_s=time_unit_s)
    wanted = np.abs(np.arange(301) / RATE_HZ - 5.0) < 0.25
    p = v = a = np.zeros((301, 1))
    for _ in range(passes):
        a = np.where(wanted[:, None], 1.0, a)
        p, v, a = fit.fit(p, v, a)
    return float(np.sqrt(np.mean((a[wanted] - 1.0) ** 2)))


def test_a_beta_in_seconds_lets_accelerations_through_and_one_in_frames_does_not() -> None:
    assert 0.5 < unmet_after(1, 1.0) < 0.75
    assert unmet_after(5, 1.0) < 0.25
    assert unmet_after(5, 1 / 30) > 0.99


def test_knots_lie_on_whole_frames_and_never_beyond_the_clip() -> None:
    assert CurveFit(100, 25.0, knot_s=4 / 30).basis.frames_per_knot == 3
    assert CurveFit(100, 30.0, knot_s=1e-9).basis.frames_per_knot == 1
    assert CurveFit(100, 30.0, knot_s=1e300).basis.frames_per_knot == 99


def test_a_knot_spacing_longer_than_the_clip_fits_a_single_polynomial() -> None:
    data = random_data(20)
    fitted = CurveFit(20, RATE_HZ, knot_s=60.0).fit(*data)[0]
    t = np.arange(20)
    cubic = np.polynomial.polynomial.polyfit(t, fitted, 3)
    np.testing.assert_allclose(np.polynomial.polynomial.polyval(t, cubic).T, fitted, atol=1e-9)


@pytest.mark.parametrize("name", ["rate_hz", "knot_s", "beta", "time_unit_s", "window_s"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_silly_settings_are_refused_by_name(name: str, value: float) -> None:
    given = {"rate_hz": RATE_HZ, name: value}
    with pytest.raises(BadValue, match=f"^{name} must be positive and finite"):
        SlidingFit(3, **given)
    if name != "window_s":
        with pytest.raises(BadValue, match=f"^{name} must be positive and finite"):
            CurveFit(10, **given)


def test_what_cannot_be_fitted_is_refused_with_its_bounds() -> None:
    with pytest.raises(BadValue, match="degree must be 3 or 5, got 4"):
        CurveFit(10, RATE_HZ, degree=4)
    with pytest.raises(BadValue, match="frame_count must be at least 1, got 0"):
        CurveFit(0, RATE_HZ)
    with pytest.raises(BadValue, match=r"beta must be between 1\.8e-08 and 1\.8e"):
        CurveFit(10, RATE_HZ, beta=1e-12)
    with pytest.raises(BadValue, match="knot_s must be at most half the window of 2 s, got 5"):
        SlidingFit(3, RATE_HZ, knot_s=5.0, window_s=2.0)
    with pytest.raises(BadValue, match="window_s must be at most"):
        SlidingFit(3, RATE_HZ, window_s=1e9)
    with pytest.raises(BadValue, match="columns must be"):
        SlidingFit(-1, RATE_HZ)


def test_data_of_the_wrong_shape_or_with_holes_are_refused() -> None:
    fit, good = CurveFit(10, RATE_HZ), np.zeros((10, 2))
    with pytest.raises(BadShape, match=r"positions must have shape \(10, C\)"):
        fit.fit(np.zeros(10), good, good)
    with pytest.raises(BadShape, match=r"velocities must have shape \(10, 2\)"):
        fit.fit(good, np.zeros((10, 3)), good)
    with pytest.raises(BadValue, match="accelerations must be finite"):
        fit.fit(good, good, np.full((10, 2), np.nan))
    sliding = SlidingFit(2, RATE_HZ)
    with pytest.raises(BadShape, match=r"velocity must have shape \(2,\)"):
        sliding.push(np.zeros(2), np.zeros(3), np.zeros(2))
    with pytest.raises(BadValue, match="frame 0 must be finite"):
        sliding.push(np.zeros(2), np.array([0.0, np.inf]), np.zeros(2))
    assert sliding.finish()[0].shape == (0, 2)


@pytest.mark.parametrize("frames", LENGTHS)
@pytest.mark.parametrize("degree", [3, 5])
@pytest.mark.parametrize("knot_frames", [1, 3, 4])
def test_a_stream_gives_polynomials_back_twice_in_a_row(
    frames: int, degree: int, knot_frames: int
) -> None:
    data = polynomial_data(frames, degree)
    sliding = SlidingFit(3, RATE_HZ, degree=degree, knot_s=knot_frames / RATE_HZ, window_s=1.0)
    for _ in range(2):
        for got, wanted in zip(slid(sliding, data), data, strict=True):
            np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-8 * np.abs(wanted).max())


@pytest.mark.parametrize("frames", [1, 2, 3, 7, 39, 65])
def test_a_stream_shorter_than_the_window_gets_the_fit_of_the_whole(frames: int) -> None:
    data = random_data(frames)
    got = SlidingFit(4, RATE_HZ)
    fitted = np.stack(CurveFit(frames, RATE_HZ).fit(*data))
    late = slid(got, data)[:, max(0, frames - got.latency_frames) :]
    wanted = fitted[:, max(0, frames - got.latency_frames) :]
    # Beyond the latency, the first control points come from a little less than the whole.
    tolerance = 1e-12 if frames <= got.latency_frames else 0.02
    assert np.abs(late[0] - wanted[0]).max() <= tolerance


@pytest.mark.parametrize("knot_frames", [2, 4])
@pytest.mark.parametrize("degree", [3, 5])
def test_a_wider_window_comes_ever_closer_to_the_fit_of_the_whole(
    knot_frames: int, degree: int
) -> None:
    data = walk_data()
    knot_s = knot_frames / RATE_HZ
    whole = CurveFit(301, RATE_HZ, degree=degree, knot_s=knot_s).fit(*data)[0]
    differences: list[float] = []
    for window_frames in (16, 32, 64, 128):
        sliding = SlidingFit(
            88, RATE_HZ, degree=degree, knot_s=knot_s, window_s=window_frames / RATE_HZ
        )
        differences.append(float(np.abs(slid(sliding, data)[0] - whole).max()))
    assert (np.diff(differences) < 0).all(), differences
    assert differences[2] < 0.008
    assert differences[3] < 1.5e-4


def test_the_papers_window_is_a_fifth_of_a_degree_from_the_fit_of_the_whole() -> None:
    data = walk_data()
    whole = CurveFit(301, RATE_HZ).fit(*data)[0].reshape(301, -1, 4)
    streamed = slid(SlidingFit(88, RATE_HZ), data)[0].reshape(301, -1, 4)
    away = rotations.angle_between(rotations.normalize(whole), rotations.normalize(streamed))
    assert np.degrees(away.max()) < 0.2
    assert np.degrees(np.sqrt(np.mean(away**2))) < 0.03


@pytest.mark.parametrize("frames", [298, 299, 300, 301])
def test_the_last_frames_are_those_of_the_fit_of_the_whole(frames: int) -> None:
    data = walk_data()[:, :frames]
    sliding = SlidingFit(88, RATE_HZ, window_s=128 / RATE_HZ)
    last = slid(sliding, data)[:, -30:]
    wanted = np.stack(CurveFit(frames, RATE_HZ).fit(*data))[:, -30:]
    for got, want, tolerance in zip(last, wanted, (1e-4, 1e-3, 1e-2), strict=True):
        np.testing.assert_allclose(got, want, atol=tolerance)


def test_a_stream_is_one_curve_even_where_the_window_is_far_too_narrow() -> None:
    data = random_data(200)
    p, v, a = slid(SlidingFit(4, RATE_HZ, knot_s=4 / 30, window_s=8 / 30), data)
    # A cubic piece from frame 4k to 4k + 4, rebuilt from its first frame, must meet the others.
    ends = slice(4, None, 4)
    starts = slice(0, -4, 4)
    h = 4 / RATE_HZ
    jerk = (a[ends] - a[starts][: len(a[ends])]) / h
    count = len(jerk)
    p0, v0, a0 = p[starts][:count], v[starts][:count], a[starts][:count]
    np.testing.assert_allclose(v[ends], v0 + h * a0 + h**2 / 2 * jerk, atol=1e-9)
    np.testing.assert_allclose(p[ends], p0 + h * v0 + h**2 / 2 * a0 + h**3 / 6 * jerk, atol=1e-9)


def test_the_latency_is_half_a_window_and_what_a_control_point_looks_ahead() -> None:
    assert SlidingFit(1, 30.0).latency_frames == 32 + 2 * 4 - 1
    assert SlidingFit(1, 30.0, knot_s=2 / 30).latency_frames == 32 + 2 * 2 - 1
    assert SlidingFit(1, 30.0, degree=5).latency_frames == 32 + 3 * 4 - 1
    assert SlidingFit(1, 120.0).latency_frames == 128 + 2 * 16 - 1


def test_a_long_stream_needs_no_more_memory_than_a_short_one() -> None:
    sliding = SlidingFit(40, RATE_HZ)
    frame = random_data(1, 40)[:, 0]
    for _ in range(300):
        sliding.push(*frame)
    tracemalloc.start()
    try:
        sliding.push(*frame)
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        for _ in range(500):
            sliding.push(*frame)
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 2000
    assert peak - before < 8 * 40 * 65  # less than one window of positions


@pytest.mark.parametrize("frames", [1, 2, 3, 60])
def test_rotations_that_belong_to_a_steady_turn_come_back(frames: int) -> None:
    omega = np.array([0.3, -0.4, 0.2])
    t = np.arange(frames)[:, None, None] / RATE_HZ
    q = rotations.exp(omega * t)
    spin = np.broadcast_to(omega, (frames, 1, 3)).copy()
    fit = CurveFit(frames, RATE_HZ, degree=5)
    turned, velocity, acceleration = fit_rotations(fit, q, spin, np.zeros((frames, 1, 3)))
    np.testing.assert_allclose(turned, q, atol=1e-8)
    np.testing.assert_allclose(velocity, spin, atol=1e-7)
    np.testing.assert_allclose(acceleration, 0, atol=1e-5)


def jumbled_rotations() -> tuple[Array, Array, Array]:
    """A walk's rotations with random signs, and rates that do not belong to them."""
    rng = np.random.default_rng(7)
    clip = walking(2.0, RATE_HZ).clip
    q = clip.rotations_wxyz * rng.choice([-1.0, 1.0], size=(clip.frame_count, 1, 1))
    rates = differentiate(clip)
    omega = rates.angular_velocities_rad_s
    alpha = rates.angular_accelerations_rad_s2
    return q, omega + rng.normal(size=omega.shape), alpha + 5 * rng.normal(size=alpha.shape)


def test_fitted_rotations_are_unit_and_on_one_side_whatever_the_signs() -> None:
    q, omega, alpha = jumbled_rotations()
    fit = CurveFit(len(q), RATE_HZ)
    turned, velocity, _ = fit_rotations(fit, q, omega, alpha)
    np.testing.assert_allclose(np.linalg.norm(turned, axis=-1), 1.0, atol=1e-14)
    assert (np.sum(turned[1:] * turned[:-1], axis=-1) > 0).all()
    plain, plain_velocity, _ = fit_rotations(fit, rotations.continuous(q), omega, alpha)
    np.testing.assert_allclose(plain, turned, atol=1e-12)
    np.testing.assert_allclose(plain_velocity, velocity, atol=1e-10)


def test_angular_rates_are_the_derivatives_of_the_renormalised_curve() -> None:
    q, omega, alpha = jumbled_rotations()
    fit = CurveFit(len(q), RATE_HZ, degree=5)
    turned, velocity, acceleration = fit_rotations(fit, q, omega, alpha)
    q = rotations.continuous(q)
    columns = [x.reshape(len(q), -1) for x in (q, *component_rates(q, omega, alpha))]
    curve = spline(fit, fit.control_points(*columns))
    t = np.arange(1, len(q) - 1) / RATE_HZ
    step = 1e-3

    def at(time: Array) -> Array:
        return rotations.normalize(curve(time).reshape(len(time), -1, 4))

    here = at(t)
    np.testing.assert_allclose(here, turned[1:-1], atol=1e-12)
    ahead = rotations.log(rotations.multiply(rotations.conjugate(here), at(t + step))) / step
    behind = rotations.log(rotations.multiply(rotations.conjugate(at(t - step)), here)) / step
    scale = np.abs(acceleration).max()
    np.testing.assert_allclose(0.5 * (ahead + behind), velocity[1:-1], atol=1e-4 * scale)
    np.testing.assert_allclose((ahead - behind) / step, acceleration[1:-1], atol=1e-3 * scale)


def test_component_rates_are_the_derivatives_of_the_components() -> None:
    step, omega, alpha = 1e-4, np.array([0.5, -1.0, 2.0]), np.array([3.0, 1.0, -2.0])
    q = rotations.normalize(np.array([0.3, 0.5, -0.2, 0.7]))

    def at(t: float) -> Array:  # ω(t) = ω + α t to second order in t
        return rotations.multiply(q, rotations.exp(omega * t + alpha * t * t / 2))

    first, second = component_rates(q, omega, alpha)
    np.testing.assert_allclose((at(step) - at(-step)) / (2 * step), first, atol=1e-6)
    np.testing.assert_allclose((at(step) - 2 * q + at(-step)) / step**2, second, atol=1e-5)
    turned = onto_rotations(q, first, second)
    for got, wanted in zip(turned, (q, omega, alpha), strict=True):
        np.testing.assert_allclose(got, wanted, atol=1e-12)


def test_frames_that_come_one_at_a_time_keep_their_side() -> None:
    q = jumbled_rotations()[0]
    kept = [q[0]]
    for frame in q[1:]:
        kept.append(on_side_of(frame, kept[-1]))
    np.testing.assert_array_equal(np.stack(kept), rotations.continuous(q))


def test_rotations_of_the_wrong_shape_are_refused() -> None:
    fit, rates = CurveFit(5, RATE_HZ), np.zeros((5, 2, 3))
    with pytest.raises(BadShape, match=r"rotations_wxyz must have shape \(5, J, 4\)"):
        fit_rotations(fit, np.ones((4, 2, 4)), rates, rates)
    with pytest.raises(BadShape, match=r"angular_velocities_rad_s must have shape \(5, J, 3\)"):
        fit_rotations(fit, np.ones((5, 2, 4)), rates[:, :1], rates)
