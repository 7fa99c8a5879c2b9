"""What squares and discs look like: learnt from pictures whose content is known, or guessed from one picture.

All colours are normalised (see `light`): brightness, red against the others, blue against green, natural logarithms.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from damludo.vision.content import Content
from damludo.vision.errors import BadPicture
from damludo.vision.frame import Image
from damludo.vision.light import LightField, fit_light
from damludo.vision.patches import PATCH, SPACING, Patches, values_of_tones
from damludo.vision.stack import StackLook
from damludo.vision.view import BoardView

Floats = NDArray[np.float32]

FLOOR = np.array([0.09, 0.05, 0.05], dtype=np.float32)
"""Least spread of a colour: brightness, then the two chromatic channels."""
FEWEST_DISCS, STRAY_PART = 6, 0.1
"""So many discs tell on which colour of squares a game is played; this part of them may be misread."""
UNPLAYED_NATS = 60.0
"""Evidence that a disc on a square of the other colour would have to outweigh, more than there ever is: light wood on light
wood, a printed number, a coloured dot are no evidence against the rule that draughts is played on one colour."""
FEWEST_EMPTY = 3
"""So many empty squares of a colour must be seen for a picture of the empty square; with less its plain colour stands."""
UNLIKE = 16.0
"""Squared distance from the empty square, in spreads, from which a sample does not look empty."""
MEASURED_PART = 0.85
"""Part of a measured radius that is used: blur and shadow make discs look larger than their paint."""
FIRST_RADIUS = 0.3
"""Of a disc, in squares, before it is measured."""


@dataclass(frozen=True, eq=False, slots=True)
class Look:
    """The appearance of one board with its discs.

    Attributes:
        step: shape (3,): albedo of the odd squares minus that of the even ones.
        empty: shape (2, PATCH * PATCH, 3): the empty square in its surroundings; index 0 even, 1 odd (rank + file).
        empty_spread: the same shape, standard deviations.
        disc: shape (2, 3): colour of White's discs, of Black's.
        disc_spread: shape (2, 3).
        radius: of a disc, in squares.
        occupied: shape (2,): natural logarithm of the odds that even and odd squares hold a disc, as far as the teaching told.
        stack: how walls, tops and shadows look; None where no men of known places taught it.
    """

    step: Floats
    empty: Floats
    empty_spread: Floats
    disc: Floats
    disc_spread: Floats
    radius: float
    occupied: Floats
    stack: StackLook | None = None

    def turned(self) -> "Look":
        """Return the look of the same board a quarter turn on: odd squares are then even ones."""
        plain = self.step
        return Look(
            -self.step,
            self.empty[::-1] - plain,
            self.empty_spread[::-1].copy(),
            self.disc - plain,
            self.disc_spread,
            self.radius,
            self.occupied[::-1].copy(),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers for a profile."""
        arrays = ("step", "empty", "empty_spread", "disc", "disc_spread", "occupied")
        plain = {name: np.round(getattr(self, name), 4).tolist() for name in arrays} | {"radius": self.radius}
        return plain | ({} if self.stack is None else {"stack": self.stack.to_dict()})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Look":
        """Read what `to_dict` gave.

        Raises:
            BadPicture: entries are missing or have another shape.
        """
        shapes = {
            "step": (3,),
            "empty": (2, PATCH * PATCH, 3),
            "empty_spread": (2, PATCH * PATCH, 3),
            "disc": (2, 3),
            "disc_spread": (2, 3),
            "occupied": (2,),
        }
        try:
            arrays = {name: np.array(data[name], dtype=np.float32) for name in shapes}
            radius = float(data["radius"])
        except (KeyError, TypeError, ValueError) as error:
            raise BadPicture(
                f"the look in the profile cannot be read ({error}); leave the profile out and the look is learned anew"
            ) from error
        for name, shape in shapes.items():
            if arrays[name].shape != shape or not np.isfinite(arrays[name]).all():
                raise BadPicture(
                    f"the look in the profile has a wrong entry {name!r}; leave the profile out and the look is learned anew"
                )
        stack = data.get("stack")
        return cls(**arrays, radius=radius, stack=None if stack is None else StackLook.from_dict(stack))


def normalised(patches: Patches, image: Image, step: Floats | None) -> tuple[Floats, LightField]:
    """Return the patches' normalised colours, shape (p, PATCH * PATCH, 3), and the light."""
    colours, spots = patches.sample(image)
    _, odd = patches.spots
    light = fit_light(patches.spot_design, spots, odd, patches.around, step)
    here = patches.place_design @ light.coefficients + light.local
    # Channel by channel: three numbers side by side would be subtracted one by one.
    planes = np.ascontiguousarray(colours.transpose(2, 0, 1)) - here.T[:, :, None]
    return planes.transpose(1, 2, 0), light


def learn_look(
    images: Image | Sequence[Image], view: BoardView, content: Mapping[int, Content], radius: float | None = None
) -> Look:
    """Learn the look from pictures of known content.

    Args:
        images: one picture or several of the same scene, shape (h, w, 3).
        view: the pose.
        content: what stands on the playable places; a place that is missing is not used.
        radius: of a disc in squares; None takes it from `view.sizes`; 0 measures it in the pictures.
    """
    frames = [images] if isinstance(images, np.ndarray) else list(images)
    given = radius if radius is not None else view.sizes.disc_diameter_mm / view.sizes.square_mm / 2
    patches = Patches(view, given or FIRST_RADIUS)
    parts = [normalised(patches, frame, None) for frame in frames]
    colours = np.asarray(np.mean([part[0] for part in parts], axis=0), dtype=np.float32)
    step = np.asarray(np.mean([part[1].step for part in parts], axis=0), dtype=np.float32)
    look = _look_of(patches, colours, step, content)
    if given == 0:
        measured = _measured_radius(patches, colours, look, content)
        look = _look_of(Patches(view, measured), colours, step, content)
    return look


def disc_colours(look: Look, image: Image, view: BoardView) -> Floats:
    """Return what White's and Black's discs look like in the mean light of a board: shape (2, 3), B, G, R.

    A lamp beside the board prefers none of them; the look alone does not tell, it is relative to the squares.
    """
    patches = Patches(view, look.radius)
    seen, _ = patches.sample(image)
    colours, _ = normalised(patches, image, look.step)
    return values_of_tones(look.disc + (seen - colours)[:, 0].mean(axis=0))


def _contents(patches: Patches, content: Mapping[int, Content]) -> NDArray[np.intp]:
    """Return the content of each place as a number, -1 where it is not known."""
    return np.array([int(content.get(int(place), -1)) for place in patches.places], dtype=np.intp)


def _look_of(patches: Patches, colours: Floats, step: Floats, content: Mapping[int, Content]) -> Look:
    known = _contents(patches, content)
    plain = np.stack([np.zeros(3, dtype=np.float32), step])
    empty = np.zeros((2, PATCH * PATCH, 3), dtype=np.float32)
    spread = np.zeros_like(empty)
    for colour in (0, 1):
        seen = colours[(known == Content.EMPTY) & (patches.odd == colour)]
        empty[colour], spread[colour] = _empty_of(seen, plain[colour], plain[1 - colour], patches)
    unlike = _unlike(patches, colours, empty[patches.odd], spread[patches.odd])
    top = _tops(patches, unlike, known)
    disc = np.zeros((2, 3), dtype=np.float32)
    disc_spread = np.zeros_like(disc)
    for side, numbers in enumerate(((1, 2), (3, 4))):
        rows = np.isin(known, numbers)
        disc[side], disc_spread[side] = _disc_of(colours[rows], top[rows], side)
    return Look(step, empty, spread, disc, disc_spread, patches.radius, _odds(known, patches.odd))


def _unlike(patches: Patches, colours: Floats, empty: Floats, spread: Floats) -> NDArray[np.bool_]:
    """Return the samples inside each square that do not look empty, shape (p, PATCH * PATCH)."""
    away = (((colours - empty) / spread) ** 2).sum(axis=-1)
    inside = np.abs(patches.grid_of_samples).max(axis=1) < 0.56
    return np.asarray((away > UNLIKE) & inside[None])


def _tops(patches: Patches, unlike: NDArray[np.bool_], known: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return the samples on the discs' tops: around the centre of what does not look empty, wherever the disc lies.

    A disc that hardly differs from its square is taken to lie in the middle.
    """
    discs = np.where(known > 0, np.where((known == 2) | (known == 4), 2, 1), 0)
    tops = patches.top(discs, inner=0.8)
    for row in np.nonzero(known > 0)[0]:
        samples = patches.grid_of_samples[unlike[row]]
        if len(samples) * SPACING**2 > 0.4 * np.pi * patches.radius**2:
            centre = np.median(samples, axis=0)
            tops[row] = np.linalg.norm(patches.grid_of_samples - centre, axis=1) < 0.75 * patches.radius
    return tops


def _odds(known: NDArray[np.intp], odd: NDArray[np.intp]) -> Floats:
    """Draughts are played on one colour: if nearly all of many discs stand on one, the other colour's squares hardly hold any."""
    result = np.zeros(2, dtype=np.float32)
    for colour in (0, 1):
        here, there = (int((known[odd == c] > 0).sum()) for c in (colour, 1 - colour))
        if there >= FEWEST_DISCS and here <= STRAY_PART * there:
            result[colour] = -UNPLAYED_NATS
    return result


def _empty_of(seen: Floats, own: Floats, other: Floats, patches: Patches) -> tuple[Floats, Floats]:
    """Return mean and spread of the empty square of one colour; from the plain colours if too few are seen."""
    inside = np.abs(patches.grid_of_samples).max(axis=1)
    part = np.clip((0.5 - inside) / SPACING + 0.5, 0, 1).astype(np.float32)[:, None]
    edge = 4 * part * (1 - part)
    model = part * own + (1 - part) * other
    floor = FLOOR + 0.5 * edge * np.abs(own - other)
    if len(seen) < FEWEST_EMPTY:
        return model, floor + np.float32(0.08)
    mean = np.median(seen, axis=0)
    deviation = 1.48 * np.median(np.abs(seen - mean), axis=0)
    typical = np.sqrt((deviation[inside < 0.4] ** 2).mean(axis=0))
    spread = np.sqrt(0.5 * typical**2 + 0.5 * deviation**2 + FLOOR**2 + (0.25 * edge * np.abs(own - other)) ** 2)
    # Beyond the square stand neighbours that may hold discs: less is sure there.
    spread = spread + np.where(inside > 0.5, 0.1, 0.0)[:, None]
    return mean.astype(np.float32), spread.astype(np.float32)


def _disc_of(colours: Floats, top: NDArray[np.bool_], side: int) -> tuple[Floats, Floats]:
    """Return mean and spread of a side's discs; without any, a guess: white is bright and black is dark."""
    if not len(colours):
        guess = np.array([(0.2, -1.2)[side], 0.0, 0.0], dtype=np.float32)
        return guess, np.array([0.5, 0.4, 0.4], dtype=np.float32)
    pixels = colours[top]
    mean = np.median(pixels, axis=0)
    deviation = 1.48 * np.median(np.abs(pixels - mean), axis=0)
    # Strong colours vary more from disc to disc and from picture to picture: their weakest channel is near black.
    return mean.astype(np.float32), np.sqrt(deviation**2 + FLOOR**2 + (0.08 * mean) ** 2).astype(np.float32)


def _measured_radius(patches: Patches, colours: Floats, look: Look, content: Mapping[int, Content]) -> float:
    """Return the radius of the discs, in squares, from the area that does not look empty."""
    known = _contents(patches, content)
    unlike = _unlike(patches, colours, look.empty[patches.odd], look.empty_spread[patches.odd])
    area = unlike[known > 0].sum(axis=1) * SPACING**2
    area = area[area > np.pi * 0.15**2]
    if len(area) < 2:
        return patches.radius
    return float(np.clip(MEASURED_PART * np.sqrt(np.median(area) / np.pi), 0.15, 0.45))


def matched(look: Look, image: Image, view: BoardView) -> Look:
    """Return a look, or the same turned by a quarter: whichever has the dark squares where the picture has them."""
    patches = Patches(view, look.radius)
    _, spots = patches.sample(image)
    seen = fit_light(patches.spot_design, spots, patches.spots[1], patches.around).step
    return look.turned() if np.linalg.norm(seen + look.step) < np.linalg.norm(seen - look.step) else look


def glance(image: Image, view: BoardView, look: Look) -> Floats:
    """Return log densities of the middles of the squares under (empty, White's disc, Black's disc), shape (p, 3).

    A quick judgement without offsets and heights, for choosing between possible poses.
    """
    patches = Patches(view, look.radius)
    colours, _ = normalised(patches, image, look.step)
    middle = np.linalg.norm(patches.grid_of_samples, axis=1) < 0.6 * look.radius
    seen = np.median(colours[:, middle], axis=1)
    centre = PATCH * PATCH // 2
    means = [look.empty[patches.odd, centre], look.disc[0], look.disc[1]]
    spreads = [look.empty_spread[patches.odd, centre], look.disc_spread[0], look.disc_spread[1]]
    away = [(((seen - m) / s) ** 2).sum(axis=-1) for m, s in zip(means, spreads, strict=True)]
    sharp = [np.log(s).sum(axis=-1) for s in spreads]
    return np.stack([-3.5 * np.log1p(a / 4) - s for a, s in zip(away, sharp, strict=True)], axis=1).astype(np.float32)
