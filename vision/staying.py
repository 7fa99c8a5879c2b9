"""Does a disc still lie where it lay? A closer look at places that seem unchanged, when a breach of the rules hangs on it.

How much a place changed says little of a light disc on a light square, which may hardly change it by its going. But it is known
beforehand what of the place its going would take: all that a disc's top shows, from its rim inwards, and bare squares do not.
What of this pattern is left in the later picture is near 1 where the disc stays, and near 0 where it is gone. How far bare
squares resemble it by chance, and how far what did not change departs from itself, the same two pictures tell; so a disc that
looks like its square, or light that is too bad, says nothing.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from damludo.vision.change import ChangeEvidence, Patches, PatchSampler, grey_levels
from damludo.vision.content import Content
from damludo.vision.fellows import log_student, shade_of

Floats = NDArray[np.float64]

OF_THE_DISC = 1.02
"""So many radii around the middle nothing of the square is seen while a disc lies there: its grain outlasts the disc."""
OF_THE_SQUARE = 1.12
"""Beyond so many radii is the square, on which the strength of the light is measured."""
DARKEST = 4.0
"""Light of so many grey levels and less is not measured: noise would make much of it."""
FEWEST_BARE = 3
"""With fewer bare squares of a shade it is not known what is seen once the disc is gone."""
STAYING_SPREAD, GONE_SPREAD = 0.1, 0.2
"""Deviations of what is left, besides those that the pictures show: a veil over the board takes some of the pattern of a disc
that stays; a shadow's edge may lie on the bare square where the disc had an edge."""
LEAST_PATTERN = 0.01
"""Of what seems to be a pattern at least so much is taken for one."""
MOST_STAY_NATS = 5.0
"""Most that this look says either way. Of 780 discs that were gone, most of them in bad light or of their squares' colours, none
looked more as if it stayed than by 1.3 nats: so fewer than one in 200 does (95 %)."""


def stay_evidence(
    sampler: PatchSampler,
    before: Patches,
    after: Patches,
    places: Sequence[int],
    believed: Mapping[int, Content],
    change: ChangeEvidence,
) -> dict[int, float]:
    """Return how much speaks for it that discs still lie on their places, against bare squares there, in nats.

    Args:
        sampler: made the patches.
        before, after: of all playable places, in two quiet pictures from one pose.
        places: held discs in the earlier picture.
        believed: what all places held then.
        change: the comparison of both pictures.
    """
    rows = {place: row for row, place in enumerate(sampler.grid.playable)}
    old, new = (_of_the_disc(sampler, patches) for patches in (before, after))
    unchanged = [place for place in believed if change.log_likelihood_ratio[place] < 0.0]
    found = {}
    for shade in (0, 1):
        asked = [place for place in places if shade_of(place, sampler.grid) == shade]
        bare = [p for p, what in believed.items() if what is Content.EMPTY and shade_of(p, sampler.grid) == shade]
        if not asked or len(bare) < FEWEST_BARE:
            continue
        # As they were seen before: nothing can have been put there by then.
        bare_rows = old[[rows[place] for place in bare]]
        middle = bare_rows.mean(axis=0)
        odd = (bare_rows - middle) * np.float32(len(bare) / (len(bare) - 1))
        for place in asked:
            row = rows[place]
            still = [rows[other] for other in unchanged if other != place]
            found[place] = _nats(old[row] - middle, new[row] - middle, odd, new[still] - old[still])
    return found


def _of_the_disc(sampler: PatchSampler, patches: Patches) -> Patches:
    """Return what is seen within a disc's outline, in parts of the light on its square, shape (places, n).

    What lies on a plane is left out: a reflection adds it, and so does the light as it goes on.
    """
    radii = sampler.radii.ravel()
    grey = grey_levels(patches).reshape(len(patches), -1, 3)
    light = np.median(grey[:, radii > OF_THE_SQUARE], axis=1, keepdims=True)
    return sampler.uneven(np.asarray(grey / np.maximum(light, DARKEST), dtype=np.float32), OF_THE_DISC)


def _nats(pattern: Patches, seen: Patches, odd: Patches, drift: Patches) -> float:
    """Return the evidence that a pattern, shape (n,), is still seen, shape (n,).

    `odd` is how bare squares depart from their middle, `drift` how unchanged places depart from themselves, shape (places, n).
    """
    # The noise in the pattern itself is not seen again.
    grain = float(np.median(np.square(drift).sum(axis=1))) / 2 if len(drift) else 0.0
    full = float(pattern @ pattern)
    size = max(full - grain, LEAST_PATTERN * full, 1e-9)
    left = float(seen @ pattern) / size
    noise = float(np.square(drift @ pattern).mean()) / size**2 if len(drift) else 0.0
    chance = float(np.square(odd @ pattern).mean()) / size**2
    stays = log_student(left, 1.0, float(np.sqrt(noise + STAYING_SPREAD**2)))
    gone = log_student(left, 0.0, float(np.sqrt(noise + chance + GONE_SPREAD**2)))
    return float(np.clip(stays - gone, -MOST_STAY_NATS, MOST_STAY_NATS))
