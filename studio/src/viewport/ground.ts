// The place: a grid on the ground, tilted as the ground is, and what stands on it.

import {
  BufferAttribute, BufferGeometry, DoubleSide, EdgesGeometry, Float32BufferAttribute, Group, LineBasicMaterial,
  LineSegments, Matrix4, Mesh, MeshLambertMaterial, Plane, Quaternion, ShaderMaterial, Vector3,
} from "three";
import type { Arrays } from "../connection";
import type { Place } from "../messages";
import type { Palette } from "./palette";

const UP = new Vector3(0, 1, 0);
/** Shadows fall a little aside, so that what is lifted can be told from what stands. */
const LIGHT_FALLS = new Vector3(0.18, -1, -0.1);
const SHADOW_LIFT_M = 0.003;
const MOST_EDGES = 40_000;
const HALF_M = 20;
const PIECE_M = 5;

export type PlaceData = { message: Place; arrays: Arrays } | null;

export class GroundView {
  readonly group = new Group();
  readonly plane = new Plane(UP.clone(), 0);
  /** Flattens the world onto the ground. */
  readonly flatten = new Matrix4();
  height = 0;
  readonly up = UP.clone();
  /** Counts up with every change. */
  version = 0;
  private readonly tilted = new Group();
  private readonly grid: LineSegments<BufferGeometry, ShaderMaterial>;
  private readonly solid = new Mesh(new BufferGeometry(), new MeshLambertMaterial({ side: DoubleSide, flatShading: true }));
  private readonly edges = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.6 }));
  private data: PlaceData | undefined = undefined;

  constructor() {
    this.grid = new LineSegments(gridGeometry(), gridMaterial());
    this.grid.frustumCulled = false;
    this.grid.renderOrder = -1;
    this.tilted.add(this.grid);
    this.solid.frustumCulled = false;
    this.edges.frustumCulled = false;
    // Pushed back a hair: edges and footprints on it stay visible.
    const { material } = this.solid;
    material.polygonOffset = true;
    material.polygonOffsetFactor = 1;
    material.polygonOffsetUnits = 1;
    this.group.add(this.tilted, this.solid, this.edges);
    this.set(null);
  }

  set(data: PlaceData): void {
    if (data === this.data) return;
    this.data = data;
    this.version += 1;
    this.height = data?.message.ground_m ?? 0;
    this.up.fromArray(data?.message.up ?? [0, 1, 0]).normalize();
    this.tilted.position.set(0, this.height, 0);
    this.tilted.quaternion.copy(new Quaternion().setFromUnitVectors(UP, this.up));
    this.plane.setFromNormalAndCoplanarPoint(this.up, this.tilted.position);
    this.setFlatten();
    const places = data?.arrays.positions_m as Float32Array | undefined;
    const triangles = data?.arrays.triangles;
    this.solid.visible = this.edges.visible = !!places?.length && !!triangles?.length;
    if (!this.solid.visible) return;
    this.solid.geometry.dispose();
    this.edges.geometry.dispose();
    this.solid.geometry = new BufferGeometry();
    this.solid.geometry.setAttribute("position", new BufferAttribute(places!, 3));
    this.solid.geometry.setIndex(new BufferAttribute(Uint32Array.from(triangles!), 1));
    this.solid.geometry.computeVertexNormals();
    const few = triangles!.length < MOST_EDGES;
    this.edges.visible = few;
    if (few) this.edges.geometry = new EdgesGeometry(this.solid.geometry, 20);
  }

  private setFlatten(): void {
    const n = this.up, d = LIGHT_FALLS, along = n.dot(d);
    const off = -this.plane.constant + SHADOW_LIFT_M;
    const row = (axis: "x" | "y" | "z", i: number): number[] => {
      const k = d[axis] / along;
      const own = [-k * n.x, -k * n.y, -k * n.z];
      own[i] = own[i]! + 1;
      return [...own, k * off];
    };
    this.flatten.set(...([...row("x", 0), ...row("y", 1), ...row("z", 2), 0, 0, 0, 1] as Parameters<Matrix4["set"]>));
  }

  /** The grid goes along in whole cells, so that a long way never leaves it. */
  follow(x: number, z: number, shown: boolean): void {
    this.grid.visible = shown;
    this.grid.position.set(5 * Math.round(x / 5), 0, 5 * Math.round(z / 5));
  }

  colour({ colours, dark }: Palette): void {
    const { uniforms } = this.grid.material;
    uniforms.colour!.value = colours["text-2"];
    uniforms.opacity!.value = dark ? 0.5 : 0.6;
    this.solid.material.color.copy(colours["panel-2"]).lerp(colours["text-2"], 0.25);
    (this.edges.material as LineBasicMaterial).color.copy(colours["text-2"]);
  }

  /** Height of the ground under a place. */
  heightAt(x: number, z: number): number {
    return this.height - (this.up.x * x + this.up.z * z) / this.up.y;
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const each of [this.grid, this.solid, this.edges]) {
      each.geometry.dispose();
      (each.material as LineBasicMaterial).dispose();
    }
  }
}

/** Lines every metre, stronger every five. */
function gridGeometry(): BufferGeometry {
  const places: number[] = [], strengths: number[] = [];
  for (let i = -HALF_M; i <= HALF_M; i += 1) {
    const strength = i % 5 === 0 ? 1 : 0.45;
    // In pieces: drivers are careless about what varies along a line that starts behind the eye.
    for (let at = -HALF_M; at < HALF_M; at += PIECE_M) {
      places.push(i, 0, at, i, 0, at + PIECE_M, at, 0, i, at + PIECE_M, 0, i);
      strengths.push(strength, strength, strength, strength);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(places, 3));
  geometry.setAttribute("strength", new Float32BufferAttribute(strengths, 1));
  return geometry;
}

/** They fade out all around. */
function gridMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    transparent: true, depthWrite: false, uniforms: { colour: { value: null }, opacity: { value: 0.5 } },
    vertexShader: `
attribute float strength;
varying vec3 seen;
void main() {
  seen = vec3(position.xz, strength);
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`,
    fragmentShader: `
uniform vec3 colour;
uniform float opacity;
varying vec3 seen;
void main() {
  float share = max(0.0, 1.0 - length(seen.xy) / ${HALF_M.toFixed(1)});
  gl_FragColor = vec4(colour, opacity * share * share * seen.z);
  #include <colorspace_fragment>
}`,
  });
}
