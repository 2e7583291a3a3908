// Names beside points: on no other name, point or line.

import { FONT, shortened, widthOf, type Frame } from "./axes";

type Box = [left: number, top: number, right: number, bottom: number];
type Place = [x: number, y: number];
/** Words and where they stand; a line leads to those that are not right beside their point. */
export interface Name { words: string; x: number; y: number; anchor: "start" | "middle" | "end"; line: string }

export const RADIUS = 5;
/** Letters of a name beside its point. */
const LONGEST = 18;
/** How far a name may be from its point; beyond the first, with a line. */
const RINGS = [3, 11, 20, 32];
const GAP = 1.5;
/** Where it may stand, best first: right, left, above, below, then the corners. */
const SIDES: Place[] = [[1, 0], [-1, 0], [0, -1], [0, 1], [1, -1], [-1, -1], [1, 1], [-1, 1]];

const meet = (a: Box, b: Box): boolean => Math.min(a[2], b[2]) - Math.max(a[0], b[0]) > -GAP && Math.min(a[3], b[3]) - Math.max(a[1], b[1]) > -GAP;
const around = ([x, y]: Place, half: number): Box => [x - half, y - half, x + half, y + half];

function boxOf([x, y]: Place, wide: number, ring: number, [across, down]: Place): Box {
  const far = (RADIUS + ring) * (across && down ? 0.7 : 1);
  const middle: Place = [x + across * (wide / 2 + far), y + down * (FONT / 2 + far)];
  return [middle[0] - wide / 2, middle[1] - FONT / 2, middle[0] + wide / 2, middle[1] + FONT / 2];
}

/** Where each name stands, undefined: nowhere. First all right beside their points, those with the least choice before others. */
export function placed(labels: string[], points: Place[], frame: Frame, level: boolean): (Name | undefined)[] {
  const { left, top, right, bottom } = frame;
  const far = 1e5;
  const taken: Box[] = points.map((point) => around(point, RADIUS));
  taken.push([-far, -far, left, far], [right, -far, far, far], [-far, -far, far, top], [-far, bottom, far, far]);
  if (level) taken.push([left, frame.y(0) - 1, right, frame.y(0) + 1]);
  const words = labels.map((label) => shortened(label, LONGEST));
  const wides = words.map((each) => widthOf(each) + 2);
  const free = (box: Box): boolean => !taken.some((other) => meet(box, other));
  const choices = points.map((point, i) => SIDES.filter((side) => free(boxOf(point, wides[i]!, RINGS[0]!, side))).length);
  const order = points.map((_, i) => i).sort((a, b) => choices[a]! - choices[b]!);
  const names: (Name | undefined)[] = points.map(() => undefined);
  for (const ring of RINGS) {
    for (const i of order) {
      const point = points[i]!;
      for (const side of names[i] || !words[i] ? [] : SIDES) {
        const box = boxOf(point, wides[i]!, ring, side);
        if (!free(box)) continue;
        const way = ring > RINGS[0]! ? wayTo(point, box) : [];
        // It may cross points that lie on its own.
        const own = around(point, RADIUS);
        if (way.some((place) => taken.some((other) => !meet(other, own) && meet(around(place, 1), other)))) continue;
        taken.push(box, ...way.map((place) => around(place, 0.5)));
        names[i] = {
          words: words[i]!, x: side[0] > 0 ? box[0] : side[0] < 0 ? box[2] : (box[0] + box[2]) / 2, y: (box[1] + box[3]) / 2 + 0.34 * FONT,
          anchor: side[0] > 0 ? "start" : side[0] < 0 ? "end" : "middle", line: way.length ? `M${way[0]}L${way[way.length - 1]}` : "",
        };
        break;
      }
    }
  }
  return names;
}

/** Places from the rim of a point to the nearest of a box. */
function wayTo([x, y]: Place, box: Box): Place[] {
  const to: Place = [Math.max(box[0], Math.min(box[2], x)) - x, Math.max(box[1], Math.min(box[3], y)) - y];
  const first = (RADIUS + 1) / Math.hypot(...to);
  return Array.from({ length: 10 }, (_, n) => first + ((1 - first) * n) / 9).map((part) => [x + part * to[0], y + part * to[1]]);
}
