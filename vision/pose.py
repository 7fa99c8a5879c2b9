"""Fitting the camera: focal length, one radial term and the pose, from crossings of the board."""

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from damludo.vision.content import BoardSizes, Grid
from damludo.vision.errors import BadPose
from damludo.vision.view import BoardView

Points = NDArray[np.float64]

FOCAL_PRIOR = 1.1
"""Focal length expected, in lengths of the picture's longer side (a webcam of 50 to 70 degrees)."""
FOCAL_SPREAD = 0.5
"""Standard deviation of its natural logarithm: a board seen from straight above says nothing of the focal length."""
K1_SPREAD = 0.25
"""Standard deviation expected of the radial term; webcams lie within -0.4..0.1."""
FEW_POINTS, K1_SPREAD_OF_FEW = 12, 0.01
"""Four clicks cannot tell a bent lens from a slip of the hand."""
NOISE_PX = 0.5
"""Error expected of one crossing."""
HUBER = 3.0
"""A point that misses by more than so many times its expected error counts less, as an outlier;
of a few clicks none can be told for one."""
MOST_STEPS, SETTLED = 20, 1e-4
"""Steps of a fit; it has settled when one changes the cost by a smaller part."""
STARTS = (1.0, 2.2, 0.6)
"""Focal lengths to start from, in units of the expected one: a steep view has more than one valley."""


@dataclass(frozen=True, eq=False, slots=True)
class Camera:
    """A fitted camera; the units of length are those of the points it was fitted to.

    Attributes:
        image_size: (width, height), px.
        parameters: shape (8,): rotation vector, translation, natural logarithm of the focal length in px, k1.
        residual_px: root mean square error, robustly weighted.
    """

    image_size: tuple[int, int]
    parameters: Points
    residual_px: float

    def project(self, points: Points) -> Points:
        """Carry points, shape (n, 3), into the picture, shape (n, 2)."""
        return _project(self.parameters, points, self.image_size)[0]


def fit_camera(
    points: Points,
    pixels: Points,
    image_size: tuple[int, int],
    near: Camera | None = None,
    noise_px: float = NOISE_PX,
) -> Camera:
    """Fit pose, focal length and k1 to points of one plane.

    Args:
        points: shape (n, 3), n >= 4, all with z = 0.
        pixels: shape (n, 2).
        image_size: (width, height), px; the principal point is the picture's centre.
        near: a camera that is nearly right, to start from.
        noise_px: error expected of one point; the larger, the more the prior counts and the fewer starts are worth trying.

    Raises:
        BadPose: the points lie on a line or no camera explains them.

    The focal length and k1 carry a prior (see the constants), so that four points and views from straight above are
    well posed. Method: homography, decomposition for a few focal lengths, robust Gauss-Newton.
    """
    # A turn about the middle of what is seen moves it least, so the parameters hardly depend on one another.
    middle = points.mean(axis=0)
    centred = points - middle
    if near is not None:
        starts = [_moved(near.parameters, middle)]
    else:
        homography, _ = cv2.findHomography(centred[:, :2], pixels, 0)
        if homography is None or not np.isfinite(homography).all():
            raise BadPose("the crossings lie on one line; the camera must see the whole board")
        plane = np.asarray(homography, dtype=np.float64)
        prior_focal = FOCAL_PRIOR * max(image_size)
        # Points that are only roughly known do not tell one valley from another: the expected focal length decides.
        factors = STARTS if noise_px <= NOISE_PX else STARTS[:1]
        starts = [_decompose(plane, prior_focal * factor, image_size) for factor in factors]
    fits = [_refine(start, centred, pixels, image_size, noise_px) for start in starts]
    good = [fit for fit in fits if np.isfinite(fit[0]) and fit[1][5] > 0]
    if not good:
        raise BadPose("no camera pose explains the crossings of the board")
    _, parameters, residual = min(good, key=lambda fit: fit[0])
    return Camera(image_size, _moved(parameters, -middle), residual)


def _moved(parameters: Points, origin: Points) -> Points:
    """Return the same camera for points that are told from another origin."""
    rotation, _ = cv2.Rodrigues(parameters[:3])
    return np.concatenate([parameters[:3], parameters[3:6] + rotation @ origin, parameters[6:]])


def fit_view(
    grid: Grid,
    sizes: BoardSizes,
    points_mm: Points,
    pixels: Points,
    image_size: tuple[int, int],
    noise_px: float = NOISE_PX,
    near: BoardView | None = None,
) -> BoardView:
    """Fit a `BoardView` to points of the board's surface, shape (n, 3), and where they are seen, shape (n, 2).

    `noise_px` is the error expected of one point and `near` a view that is nearly right, as in `fit_camera`.

    Raises:
        BadPose: no camera explains the points.
    """
    start = None if near is None else _camera_of(near)
    camera = fit_camera(points_mm / sizes.square_mm, pixels, image_size, start, noise_px)
    p = camera.parameters
    return BoardView(
        grid=grid,
        sizes=sizes,
        image_size=image_size,
        focal_px=math.exp(p[6]),
        k1=float(p[7]),
        rotation_vector=p[:3].copy(),
        translation_mm=p[3:6] * sizes.square_mm,
        residual_px=camera.residual_px,
    )


def _camera_of(view: BoardView) -> Camera:
    """Return the camera of a view, in squares."""
    lens = [math.log(view.focal_px), view.k1]
    parameters = np.concatenate([view.rotation_vector, view.translation_mm / view.sizes.square_mm, lens])
    return Camera(view.image_size, parameters, view.residual_px)


def _decompose(homography: Points, focal: float, image_size: tuple[int, int]) -> Points:
    """Return start parameters: the pose that a homography means for one focal length (Zhang 2000, section 3.1)."""
    k = np.array([[focal, 0, (image_size[0] - 1) / 2], [0, focal, (image_size[1] - 1) / 2], [0, 0, 1]])
    m = np.linalg.inv(k) @ homography
    scale = 2.0 / (np.linalg.norm(m[:, 0]) + np.linalg.norm(m[:, 1]))
    m = m * (scale if m[2, 2] > 0 else -scale)  # the board lies in front of the camera
    u, _, vt = np.linalg.svd(np.column_stack([m[:, 0], m[:, 1], np.cross(m[:, 0], m[:, 1])]))
    rotation = u @ np.diag([1.0, 1.0, np.linalg.det(u @ vt)]) @ vt
    vector, _ = cv2.Rodrigues(rotation)
    return np.concatenate([vector.ravel(), m[:, 2], [math.log(focal), 0.0]])


def _project(parameters: Points, points: Points, image_size: tuple[int, int]) -> tuple[Points, Points]:
    """Return pixels, shape (n, 2), and their derivatives by the eight parameters, shape (2n, 8)."""
    focal = math.exp(min(parameters[6], 12.0))
    k = np.array([[focal, 0, (image_size[0] - 1) / 2], [0, focal, (image_size[1] - 1) / 2], [0, 0, 1.0]])
    distortion = np.array([parameters[7], 0.0, 0.0, 0.0])
    if not len(points):  # OpenCV 5 gives no derivatives for no points, OpenCV 4 refuses
        return np.zeros((0, 2)), np.zeros((0, 8))
    pixels, jacobian = cv2.projectPoints(points.reshape(-1, 1, 3), parameters[:3], parameters[3:6], k, distortion)
    by_focal = (jacobian[:, 6] + jacobian[:, 7]) * focal
    derivative = np.column_stack([jacobian[:, :6], by_focal, jacobian[:, 10]])
    return np.asarray(pixels, dtype=np.float64).reshape(-1, 2), np.asarray(derivative, dtype=np.float64)


def _refine(
    start: Points, points: Points, pixels: Points, image_size: tuple[int, int], noise_px: float
) -> tuple[float, Points, float]:
    """Return (cost, parameters, residual in px) after damped Gauss-Newton with Huber weights.

    Steps are made in `_natural` parameters: a focal length and a distance that grow together change the picture little.
    """
    expected = np.array([math.log(FOCAL_PRIOR * max(image_size)), 0.0])
    tightness = np.array([1 / FOCAL_SPREAD, 1 / (K1_SPREAD if len(points) >= FEW_POINTS else K1_SPREAD_OF_FEW)])
    parameters, damping = start, 1e-3
    cost, normal, gradient, residual = _linearise(parameters, points, pixels, image_size, expected, tightness, noise_px)
    for _ in range(MOST_STEPS):
        natural, by_natural = _natural(parameters)
        curvature, slope = by_natural.T @ normal @ by_natural, by_natural.T @ gradient
        step = np.linalg.solve(curvature + damping * np.diag(np.diag(curvature) + 1e-12), -slope)
        there = _from_natural(natural + step)
        tried = _linearise(there, points, pixels, image_size, expected, tightness, noise_px)
        done = abs(cost - tried[0]) < SETTLED * cost
        if np.isfinite(tried[0]) and tried[0] < cost:
            parameters, damping = there, damping * 0.2
            cost, normal, gradient, residual = tried
        else:
            damping *= 8
        if done or damping > 1e8:
            break
    return cost, parameters, residual


def _natural(parameters: Points) -> tuple[Points, Points]:
    """Return turn, place in the picture (2), logarithms of scale and focal length, k1; and the derivatives by them, (8, 8)."""
    x, y, z = parameters[3:6]
    depth = max(float(z), 1e-9)
    natural = parameters.copy()
    natural[3:6] = x / depth, y / depth, parameters[6] - math.log(depth)
    derivative = np.eye(8)
    derivative[3:5, 3:5] *= depth
    derivative[3:6, 5] = -x, -y, -depth
    derivative[3:6, 6] = x, y, depth
    return natural, derivative


def _from_natural(natural: Points) -> Points:
    parameters = natural.copy()
    depth = math.exp(min(max(natural[6] - natural[5], -30.0), 30.0))
    parameters[3:6] = natural[3] * depth, natural[4] * depth, depth
    return parameters


def _linearise(
    parameters: Points,
    points: Points,
    pixels: Points,
    image_size: tuple[int, int],
    expected: Points,
    tightness: Points,
    noise_px: float,
) -> tuple[float, Points, Points, float]:
    """Return (cost, normal matrix, gradient, weighted residual in px) at some parameters."""
    seen, jacobian = _project(parameters, points, image_size)
    error = ((seen - pixels) / noise_px).ravel()
    jacobian = jacobian / noise_px
    length = np.repeat(np.linalg.norm(error.reshape(-1, 2), axis=1), 2)
    bound = HUBER if len(points) >= FEW_POINTS else math.inf
    weight = np.minimum(1.0, bound / np.maximum(length, 1e-9))
    prior = (parameters[6:8] - expected) * tightness
    normal = jacobian.T @ (jacobian * weight[:, None])
    gradient = jacobian.T @ (error * weight)
    normal[6:, 6:] += np.diag(tightness**2)
    gradient[6:] += prior * tightness
    each = error**2
    # Huber's function, of which these weights make Gauss-Newton's steps; half of each point's here, half there.
    huber = np.where(length <= bound, each, (HUBER * length - HUBER**2 / 2))
    cost = float(huber.sum() + (prior**2).sum())
    residual = noise_px * math.sqrt(2 * float((weight * each).sum()) / max(float(weight.sum()), 1e-9))
    return cost, normal, gradient, residual
