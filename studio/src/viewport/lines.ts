// Wide lines whose room is made once and then only written to.

import { InstancedInterleavedBuffer, InterleavedBufferAttribute, type Color } from "three";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { LineSegments2 } from "three/addons/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/addons/lines/LineSegmentsGeometry.js";

export interface LineLook { width?: number; opacity?: number; onTop?: boolean; order?: number }

export class Lines {
  readonly mesh: LineSegments2;
  readonly material: LineMaterial;
  private data: Float32Array;
  private buffer!: InstancedInterleavedBuffer;
  private count = 0;

  constructor(capacity: number, { width = 2, opacity = 1, onTop = false, order = 5 }: LineLook = {}) {
    this.material = new LineMaterial({
      linewidth: width, transparent: opacity < 1 || onTop, opacity, depthTest: !onTop, depthWrite: false,
    });
    this.mesh = new LineSegments2(new LineSegmentsGeometry(), this.material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = order;
    this.data = new Float32Array(0);
    this.reserve(capacity);
    this.end();
  }

  set colour(colour: Color) {
    this.material.color.copy(colour);
  }

  /** Room for so many pieces; only grows. */
  reserve(capacity: number): void {
    if (6 * capacity <= this.data.length) return;
    const kept = this.data;
    this.data = new Float32Array(6 * capacity);
    this.data.set(kept);
    this.buffer = new InstancedInterleavedBuffer(this.data, 6, 1);
    // Another geometry: the card's copy of the old one has its size for good.
    this.mesh.geometry.dispose();
    const geometry = new LineSegmentsGeometry();
    geometry.setAttribute("instanceStart", new InterleavedBufferAttribute(this.buffer, 3, 0));
    geometry.setAttribute("instanceEnd", new InterleavedBufferAttribute(this.buffer, 3, 3));
    this.mesh.geometry = geometry;
  }

  begin(): void {
    this.count = 0;
  }

  add(ax: number, ay: number, az: number, bx: number, by: number, bz: number): void {
    const at = 6 * this.count;
    // Not-a-number means "nowhere" (a zero-moment point in the air).
    if (at + 6 > this.data.length || !(ax + bx + ay + by + az + bz < Infinity)) return;
    const { data } = this;
    data[at] = ax; data[at + 1] = ay; data[at + 2] = az;
    data[at + 3] = bx; data[at + 4] = by; data[at + 5] = bz;
    this.count += 1;
  }

  /** A path's rows from the first to the last. */
  addPath(path: Float32Array, first: number, last: number, lift = 0): void {
    for (let i = first; i < last; i += 1) {
      const a = 3 * i, b = a + 3;
      this.add(path[a]!, path[a + 1]! + lift, path[a + 2]!, path[b]!, path[b + 1]! + lift, path[b + 2]!);
    }
  }

  end(): void {
    (this.mesh.geometry as LineSegmentsGeometry).instanceCount = this.count;
    this.mesh.visible = this.count > 0;
    this.buffer.needsUpdate = true;
  }

  clear(): void {
    if (!this.mesh.visible) return;
    this.begin();
    this.end();
  }

  dispose(): void {
    this.mesh.removeFromParent();
    this.mesh.geometry.dispose();
    this.material.dispose();
  }
}
