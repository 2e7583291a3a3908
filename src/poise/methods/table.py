"""All methods by the name that recipes use: what each takes is said here, once."""

from __future__ import annotations

from poise.constraints import CONSTRAINTS, STAGE_EDITS
from poise.methods import correct, deform, filter, momentum, pattern, retarget
from poise.methods.method import Method, Takes

_ALL = tuple(CONSTRAINTS)
_EQUALITIES = tuple(kind for kind in CONSTRAINTS if kind != "stay_on_side")
_IN_THE_WORLD = ("hold_point", "hit_at", "follow_curve", "orient", "plant")
"""What comes down to places and orientations of single joints."""

METHODS: dict[str, Method] = {
    each.name: each
    for each in (
        Method(
            "deform",
            deform.Settings,
            Takes(_EQUALITIES, others="one that deform knows (one-sided ones: filter)"),
            deform.run,
            is_quick=True,
        ),
        Method("filter", filter.Settings, Takes(_ALL), filter.run),
        Method(
            "correct",
            correct.Settings,
            Takes(belts=True),
            correct.run,
            presets={**correct.PRESETS},
        ),
        Method(
            "momentum",
            momentum.Settings,
            Takes((*_ALL, *STAGE_EDITS)),
            momentum.run,
            keeps_frames=False,
        ),
        Method(
            "pattern",
            pattern.Settings,
            Takes(
                _IN_THE_WORLD,
                pattern=True,
                others="about a place or an orientation: a pattern knows no other",
            ),
            pattern.run,
        ),
        Method("retarget", retarget.Settings, Takes(contacts=False, target=True), retarget.run),
    )
}
