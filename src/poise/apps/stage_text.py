"""The stages of a leap, in a few lines."""

from __future__ import annotations

from collections.abc import Sequence

from poise.methods.momentum import Captured, StageReport, captured_rise_m


def stage_lines(found: Captured) -> list[str]:
    """The stages of a clip as recipes count them."""
    rate, lines = found.clip.rate_hz, list[str]()
    for i, stage in enumerate(found.stages):
        lasts = f"frames {stage.first}-{stage.stop - 1}, {stage.frame_count / rate:.2f} s"
        if stage.kind == "ground":
            parts = ", ".join(part.replace("_", " ") for part in stage.parts)
            told = f"  ({parts})" if parts else ""
            lines.append(f"stage {found.ground.index(i)}   on the ground: {lasts}{told}")
        else:
            fell = found.seen_gravity_m_s2[i]
            lines.append(
                f"flight {found.flights.index(i)}  in the air: {lasts}, rises "
                f"{100 * captured_rise_m(found, i):.0f} cm, falls at {fell:.2f} m/s²"
            )
    return lines


def result_lines(stages: Sequence[StageReport]) -> list[str]:
    """What became of the stages."""
    lines: list[str] = []
    ground = flight = 0
    for each in stages:
        if each.kind == "ground":
            if each.moved_m > 0.0 or each.turned_deg != 0.0:
                lines.append(
                    f"stage {ground}: moved {100 * each.moved_m:.0f} cm, "
                    f"turned {each.turned_deg:.0f} degrees"
                )
            ground += 1
        else:
            lines.append(
                f"flight {flight}: {each.length_m:.2f} m far (was {each.captured_length_m:.2f}), "
                f"{100 * each.rise_m:.0f} cm high (was {100 * each.captured_rise_m:.0f}), "
                f"falls at {each.gravity_m_s2:.2f} m/s²"
            )
            flight += 1
    return lines
