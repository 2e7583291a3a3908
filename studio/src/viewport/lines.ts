// Wide lines whose room is made once and then only written to. Two triangles a piece and no round ends:
// those of three's own cost several times as much where there is no graphics card.

import {
  DynamicDrawUsage, Float32BufferAttribute, InstancedBufferGeometry, InstancedInterleavedBuffer,
  InterleavedBufferAttribute, Mesh, ShaderMaterial, Vector2, type Color,
} from "three";

export interface LineLook { width?: number; opacity?: number; onTop?: boolean; order?: number }

/** Half the size of the picture in pixels of the page; the same for all lines. */
export const halfPicture = new Vector2(1, 1);

const VERTEX = `
attribute vec3 start;
attribute vec3 stop;
uniform vec2 half_px;
uniform float width;
void main() {
  vec4 a = modelViewMatrix * vec4(start, 1.0);
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
  vec4 at = position.x < 0.5 ? from : to;
  // A little longer than it is, so that pieces of a path close up.
  vec2 aside = position.y * vec2(-way.y, way.x) + (position.x - 0.5) * way;
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

export class Lines {
  readonly mesh: Mesh<InstancedBufferGeometry, ShaderMaterial>;
  private data = new Float32Array(0);
  private buffer!: InstancedInterleavedBuffer;
  private count = 0;

  constructor(capacity: number, { width = 2, opacity = 1, onTop = false, order = 5 }: LineLook = {}) {
    const material = new ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: opacity < 1 || onTop, depthTest: !onTop, depthWrite: false,
      uniforms: { half_px: { value: halfPicture }, width: { value: width }, colour: { value: null }, opacity: { value: opacity } },
    });
    this.mesh = new Mesh(new InstancedBufferGeometry(), material);
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
    if (6 * capacity <= this.data.length) return;
    const kept = this.data;
    this.data = new Float32Array(6 * capacity);
    this.data.set(kept);
    this.buffer = new InstancedInterleavedBuffer(this.data, 6, 1);
    this.buffer.setUsage(DynamicDrawUsage);
    // Another geometry: the card's copy of the old one has its size for good.
    this.mesh.geometry.dispose();
    const geometry = new InstancedBufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute([0, -1, 0, 1, -1, 0, 1, 1, 0, 0, 1, 0], 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    geometry.setAttribute("start", new InterleavedBufferAttribute(this.buffer, 3, 0));
    geometry.setAttribute("stop", new InterleavedBufferAttribute(this.buffer, 3, 3));
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

  /** A path's rows from the first to the last, every so many of them. */
  addPath(path: Float32Array, first: number, last: number, lift = 0, step = 1): void {
    for (let i = first; i < last; i += step) {
      const a = 3 * i, b = 3 * Math.min(i + step, last);
      this.add(path[a]!, path[a + 1]! + lift, path[a + 2]!, path[b]!, path[b + 1]! + lift, path[b + 2]!);
    }
  }

  end(): void {
    this.mesh.geometry.instanceCount = this.count;
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
    this.mesh.material.dispose();
  }
}

/** How many frames a piece of a path covers so that there are no more than some 40 pieces a second. */
export function strideOf(rate: number): number {
  return Math.max(1, Math.round(rate / 40));
}
