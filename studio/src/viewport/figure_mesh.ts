// Geometry of a body: its skin and its bones, both carried by the same joints.

import { BufferAttribute, BufferGeometry, Float32BufferAttribute, Uint16BufferAttribute } from "three";
import type { FigureData } from "../store";
import { shapeOf } from "./kinematics";

export interface FigureMesh {
  skin: BufferGeometry;
  bones: BufferGeometry;
  /** The skin with fewer triangles, where each of them costs; and with fewer still, for shadows. */
  coarse: BufferGeometry;
  blocky: BufferGeometry;
}

const meshes = new WeakMap<FigureData, FigureMesh>();

/** Made once for a body, however many figures wear it. */
export function meshOf(figure: FigureData): FigureMesh {
  let known = meshes.get(figure);
  if (!known) {
    const skin = skinOf(figure);
    const tall = figure.message.height_m || 1.75;
    known = { skin, bones: bonesOf(figure), coarse: coarsened(skin, CELL * tall), blocky: coarsened(skin, 2 * CELL * tall) };
    meshes.set(figure, known);
  }
  return known;
}

function skinOf({ arrays }: FigureData): BufferGeometry {
  const geometry = new BufferGeometry();
  const places = arrays.positions_m as Float32Array | undefined;
  if (!places?.length) return geometry;
  geometry.setAttribute("position", new BufferAttribute(places, 3));
  geometry.setAttribute("normal", new BufferAttribute(arrays.normals as Float32Array, 3));
  geometry.setAttribute("skinIndex", new BufferAttribute(Uint16Array.from(arrays.skin_joints!), 4));
  geometry.setAttribute("skinWeight", new BufferAttribute(arrays.weights as Float32Array, 4));
  geometry.setIndex(new BufferAttribute(Uint32Array.from(arrays.triangles!), 1));
  return geometry;
}

const CELL = 0.024;

/** Vertices of one joint that share a cell become one; triangles that are left without an area go. */
function coarsened(skin: BufferGeometry, cell: number): BufferGeometry {
  const geometry = new BufferGeometry();
  const places = skin.getAttribute("position"), index = skin.getIndex();
  if (!places || !index) return geometry;
  const normals = skin.getAttribute("normal"), joints = skin.getAttribute("skinIndex"), shares = skin.getAttribute("skinWeight");
  const cells = new Map<string, number>();
  const middle: number[] = [], facing: number[] = [], carried: number[] = [], weights: number[] = [], counts: number[] = [];
  const of = new Uint32Array(places.count);
  for (let v = 0; v < places.count; v += 1) {
    const main = shares.getX(v) >= 0.5 ? joints.getX(v) : joints.getY(v);
    const at = [places.getX(v), places.getY(v), places.getZ(v)];
    const key = `${main}:${at.map((x) => Math.floor(x / cell)).join(":")}`;
    let known = cells.get(key);
    if (known === undefined) {
      cells.set(key, (known = counts.length));
      counts.push(0);
      middle.push(0, 0, 0);
      facing.push(0, 0, 0);
      carried.push(joints.getX(v), joints.getY(v), joints.getZ(v), joints.getW(v));
      weights.push(shares.getX(v), shares.getY(v), shares.getZ(v), shares.getW(v));
    }
    of[v] = known;
    counts[known]! += 1;
    const way = [normals.getX(v), normals.getY(v), normals.getZ(v)];
    for (let k = 0; k < 3; k += 1) {
      middle[3 * known + k]! += at[k]!;
      facing[3 * known + k]! += way[k]!;
    }
  }
  counts.forEach((count, i) => {
    const long = Math.hypot(facing[3 * i]!, facing[3 * i + 1]!, facing[3 * i + 2]!) || 1;
    for (let k = 0; k < 3; k += 1) {
      middle[3 * i + k]! /= count;
      facing[3 * i + k]! /= long;
    }
  });
  const kept: number[] = [];
  const seen = new Set<string>();
  for (let t = 0; t < index.count; t += 3) {
    const [a, b, c] = [of[index.getX(t)]!, of[index.getX(t + 1)]!, of[index.getX(t + 2)]!];
    const key = [a, b, c].sort((x, y) => x - y).join(":");
    if (a === b || b === c || c === a || seen.has(key)) continue;
    seen.add(key);
    kept.push(a, b, c);
  }
  geometry.setAttribute("position", new Float32BufferAttribute(middle, 3));
  geometry.setAttribute("normal", new Float32BufferAttribute(facing, 3));
  geometry.setAttribute("skinIndex", new Uint16BufferAttribute(carried, 4));
  geometry.setAttribute("skinWeight", new Float32BufferAttribute(weights, 4));
  geometry.setIndex(kept);
  return geometry;
}

const WAIST = 0.18;
const THICK = 0.11;

/** An eight-sided solid for every bone, from a joint to its child or to an end. */
function bonesOf(figure: FigureData): BufferGeometry {
  const shape = shapeOf(figure);
  const places: number[] = [], normals: number[] = [], carriers: number[] = [];
  const put = (joint: number, from: number[], to: number[]): void => {
    const along = to.map((v, i) => v - from[i]!);
    const length = Math.hypot(...along);
    if (length < 5e-3) return;
    const way = along.map((v) => v / length);
    const aside = Math.abs(way[1]!) > 0.9 ? [1, 0, 0] : [0, 1, 0];
    const u = unit(cross(way, aside)), v = cross(way, u);
    const thick = Math.min(0.035, Math.max(0.006, THICK * length));
    const ring = [0, 1, 2, 3].map((k) => {
      const c = Math.cos((k * Math.PI) / 2) * thick, s = Math.sin((k * Math.PI) / 2) * thick;
      return from.map((x, i) => x + WAIST * along[i]! + c * u[i]! + s * v[i]!);
    });
    for (let k = 0; k < 4; k += 1) {
      const a = ring[k]!, b = ring[(k + 1) % 4]!;
      for (const corners of [[from, b, a], [a, b, to]]) {
        const [p, q, r] = corners as [number[], number[], number[]];
        const flat = unit(cross(q.map((x, i) => x - p[i]!), r.map((x, i) => x - p[i]!)));
        for (const corner of corners) {
          places.push(...corner);
          normals.push(...flat);
          carriers.push(joint);
        }
      }
    }
  };
  const at = (joint: number): number[] => [...shape.restPlaces.subarray(3 * joint, 3 * joint + 3)];
  for (let j = 0; j < shape.joints; j += 1) {
    const parent = shape.parents[j]!;
    if (parent >= 0) put(parent, at(parent), at(j));
  }
  for (const { name, joint, offset_m } of figure.message.sites)
    if (/_end$/i.test(name)) put(joint, at(joint), siteAtRest(shape.restTurns, at(joint), joint, offset_m));
  const geometry = new BufferGeometry();
  const count = carriers.length;
  const joints = new Uint16Array(4 * count), weights = new Float32Array(4 * count);
  carriers.forEach((joint, i) => {
    joints[4 * i] = joint;
    weights[4 * i] = 1;
  });
  geometry.setAttribute("position", new Float32BufferAttribute(places, 3));
  geometry.setAttribute("normal", new Float32BufferAttribute(normals, 3));
  geometry.setAttribute("skinIndex", new Uint16BufferAttribute(joints, 4));
  geometry.setAttribute("skinWeight", new Float32BufferAttribute(weights, 4));
  return geometry;
}

function siteAtRest(turns: Float32Array, place: number[], joint: number, offset: readonly number[]): number[] {
  const [w, x, y, z] = turns.subarray(4 * joint, 4 * joint + 4) as unknown as [number, number, number, number];
  const axis = [x, y, z];
  const once = cross(axis, [...offset]).map((v) => 2 * v);
  const twice = cross(axis, once);
  return place.map((v, i) => v + offset[i]! + w * once[i]! + twice[i]!);
}

function cross(a: number[], b: number[]): number[] {
  return [a[1]! * b[2]! - a[2]! * b[1]!, a[2]! * b[0]! - a[0]! * b[2]!, a[0]! * b[1]! - a[1]! * b[0]!];
}

function unit(a: number[]): number[] {
  const size = Math.hypot(...a) || 1;
  return a.map((v) => v / size);
}
