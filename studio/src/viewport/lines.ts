// Wide lines whose room is made once and then only written to: two triangles a piece, without round ends
// and without instancing, both of which cost several times as much where there is no graphics card.

import {
  BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, InterleavedBuffer, InterleavedBufferAttribute, Mesh,
  ShaderMaterial, Vector2,
} from "three";

/** `taper`: each piece ends in a point, as the head of an arrow. */
export interface LineLook { width?: number; opacity?: number; onTop?: boolean; order?: number; taper?: boolean }

/** Half the size of the picture in pixels of the page; the same for all lines. */
export const halfPicture = new Vector2(1, 1);

const VERTEX = `
attribute vec3 stop;
attribute vec2 corner;
uniform vec2 half_px;
uniform float width;
uniform float taper;
void main() {
  vec4 a = modelViewMatrix * vec4(position, 1.0);
  vec4 b = modelViewMatrix * vec4(stop, 1.0);
  if (projectionMatrix[2][3] < 0.0) { // with perspective: cut off what is behind the eye
    float near = -projectionMatrix[3][2] / (projectionMatrix[2][2] - 1.0);
    if (a.z > near && b.z < near) a = mix(a, b, (near - a.z) / (b.z - a.z));
    else if (b.z > near && a.z < near) b = mix(b, a, (near - b.z) / (a.z - b.z));
  }
  vec4 from = projectionMatrix * a;
  vec4 to = projectionMatrix * b;
  vec2 way = (to.xy / to.w - from.xy / from.w) * half_px;
  way = length(way) > 1e-4 ? normalize(way) : vec2(1.0, 0.0);
  vec4 at = corner.x < 0.5 ? from : to;
  // A little longer than it is, so that pieces of a path close up.
  vec2 aside = corner.y * vec2(-way.y, way.x) * mix(1.0, taper, corner.x) + (corner.x - 0.5) * taper * way;
  at.xy += 0.5 * width * aside / half_px * at.w;
  gl_Position = at;
}`;

const FRAGMENT = `
uniform vec3 colour;
uniform float opacity;
void main() {
  gl_FragColor = vec4(colour, opacity);
  #include <colorspace_fragment>
}`;

/** Floats of a corner: where its piece starts and stops, and which corner it is. */
const CORNER = 8;
const PIECE = 4 * CORNER;

export class Lines {
  readonly mesh: Mesh<BufferGeometry, ShaderMaterial>;
  private data = new Float32Array(0);
  private buffer!: InterleavedBuffer;
  private count = 0;
  /** What of the buffer goes to the card; one record for good. */
  private readonly used = { start: 0, count: 0 };

  constructor(capacity: number, { width = 2, opacity = 1, onTop = false, order = 5, taper = false }: LineLook = {}) {
    const material = new ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: opacity < 1 || onTop, depthTest: !onTop, depthWrite: false,
      side: DoubleSide,
      uniforms: {
        half_px: { value: halfPicture }, width: { value: width }, colour: { value: new Color() }, opacity: { value: opacity },
        taper: { value: taper ? 0 : 1 },
      },
    });
    this.mesh = new Mesh(new BufferGeometry(), material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = order;
    this.reserve(capacity);
    this.end();
  }

  set colour(colour: Color) {
    this.mesh.material.uniforms.colour!.value = colour;
  }

  /** Room for so many pieces; only grows. */
  reserve(capacity: number): void {
    if (PIECE * capacity <= this.data.length) return;
    const kept = this.data;
    this.data = new Float32Array(PIECE * capacity);
    const index = new Uint32Array(6 * capacity);
    for (let i = 0; i < capacity; i += 1) {
      index.set([4 * i, 4 * i + 1, 4 * i + 2, 4 * i, 4 * i + 2, 4 * i + 3], 6 * i);
      for (let k = 0; k < 4; k += 1) {
        const at = PIECE * i + CORNER * k;
        this.data[at + 6] = k === 1 || k === 2 ? 1 : 0;
        this.data[at + 7] = k < 2 ? -1 : 1;
      }
    }
    this.data.set(kept);
    this.buffer = new InterleavedBuffer(this.data, CORNER);
    this.buffer.setUsage(DynamicDrawUsage);
    // Another geometry: the card's copy of the old one has its size for good.
    this.mesh.geometry.dispose();
    const geometry = new BufferGeometry();
    // `position` is what three counts by.
    geometry.setAttribute("position", new InterleavedBufferAttribute(this.buffer, 3, 0));
    geometry.setAttribute("stop", new InterleavedBufferAttribute(this.buffer, 3, 3));
    geometry.setAttribute("corner", new InterleavedBufferAttribute(this.buffer, 2, 6));
    geometry.setIndex(new BufferAttribute(index, 1));
    this.mesh.geometry = geometry;
  }

  begin(): void {
    this.count = 0;
  }

  add(ax: number, ay: number, az: number, bx: number, by: number, bz: number): void {
    const { data } = this;
    let at = PIECE * this.count;
    // Not-a-number means "nowhere" (a zero-moment point in the air).
    if (at + PIECE > data.length || !(ax + bx + ay + by + az + bz < Infinity)) return;
    for (let k = 0; k < 4; k += 1, at += CORNER) {
      data[at] = ax; data[at + 1] = ay; data[at + 2] = az;
      data[at + 3] = bx; data[at + 4] = by; data[at + 5] = bz;
    }
    this.count += 1;
  }

  /** A path's rows from the first to the last, every so many of them. */
  addPath(path: Float32Array, first: number, last: number, lift = 0, step = 1): void {
    for (let i = first; i < last; i += step) {
      const a = 3 * i, b = 3 * Math.min(i + step, last);
      this.add(path[a]!, path[a + 1]! + lift, path[a + 2]!, path[b]!, path[b + 1]! + lift, path[b + 2]!);
    }
  }

  end(): void {
    this.mesh.geometry.setDrawRange(0, 6 * this.count);
    this.mesh.visible = this.count > 0;
    if (!this.count) return;
    this.used.count = PIECE * this.count;
    if (this.buffer.updateRanges[0] !== this.used) this.buffer.updateRanges.push(this.used);
    this.buffer.needsUpdate = true;
  }

  get empty(): boolean {
    return this.count === 0;
  }

  clear(): void {
    if (!this.mesh.visible) return;
    this.begin();
    this.end();
  }

  dispose(): void {
    this.mesh.removeFromParent();
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}

/** How many frames a piece of a path covers so that there are no more than some 40 pieces a second. */
export function strideOf(rate: number): number {
  return Math.max(1, Math.round(rate / 40));
}
