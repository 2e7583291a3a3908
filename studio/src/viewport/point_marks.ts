// Small marks on the points that can be clicked; a larger one on what is selected or under the pointer.

import { DISC, RING } from "./dots";
import type { Moment } from "./moment";
import { pointsOf } from "./points";

const spot = new Float32Array(3);

export function markPoints({ figure, pose, dots, selection, hovered, palette: { colours }, motion }: Moment): void {
  if (!figure || !pose) return;
  const colour = motion?.which === "before" ? colours.before : colours.after;
  const points = pointsOf(figure);
  for (let i = 0; i < points.length; i += 1) {
    const point = points[i]!;
    pose.point(point.joint, point.offset, spot);
    const mine = selection?.kind === "point" && selection.name === point.name;
    // Without putting words together: this runs for every picture.
    const over = hovered.length === 6 + point.name.length && hovered.startsWith("point:") && hovered.endsWith(point.name);
    if (mine) dots.add(spot[0]!, spot[1]!, spot[2]!, colours.accent, 16, RING);
    dots.add(spot[0]!, spot[1]!, spot[2]!, mine || over ? colours.accent : colour, over ? 11 : point.origin ? 6 : 4, DISC);
  }
}
