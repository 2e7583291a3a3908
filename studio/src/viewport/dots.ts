// Marks of a fixed size on the screen: joints, handles, centre of mass. One draw call for all of them.

import { BufferGeometry, DynamicDrawUsage, Float32BufferAttribute, Points, ShaderMaterial, type Color } from "three";

/** How a mark looks: a disc, a ring, a diamond, or the quartered disc that stands for a centre of mass. */
export const DISC = 0, RING = 1, DIAMOND = 2, QUARTERED = 3;

const VERTEX = `
attribute vec4 look; // red, green, blue, and what shape it has
attribute float size;
uniform float ratio;
varying vec4 shown;
varying float pixels;
void main() {
  shown = look;
  pixels = size * ratio;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_PointSize = pixels + 2.0;
}`;

const FRAGMENT = `
uniform vec3 edge;
varying vec4 shown;
varying float pixels;
void main() {
  vec2 at = (gl_PointCoord - 0.5) * (pixels + 2.0);
  float radius = 0.5 * pixels;
  float away = shown.a > 1.5 && shown.a < 2.5 ? 0.9 * (abs(at.x) + abs(at.y)) : length(at);
  float inside = 1.0 - smoothstep(radius - 0.7, radius + 0.7, away);
  if (inside <= 0.0) discard;
  vec3 colour = shown.rgb;
  float core = 1.0 - smoothstep(radius - 2.2, radius - 1.2, away);
  if (shown.a > 2.5) colour = at.x * at.y > 0.0 ? colour : edge;
  float alpha = inside;
  if (shown.a > 0.5 && shown.a < 1.5) alpha *= 1.0 - core;
  else colour = mix(shown.a > 2.5 ? shown.rgb : edge, colour, core);
  gl_FragColor = vec4(colour, alpha);
  #include <colorspace_fragment>
}`;

export class Dots {
  readonly mesh: Points;
  private readonly places: Float32BufferAttribute;
  private readonly looks: Float32BufferAttribute;
  private readonly sizes: Float32BufferAttribute;
  private readonly material: ShaderMaterial;
  private count = 0;

  constructor(private readonly capacity: number) {
    const geometry = new BufferGeometry();
    this.places = new Float32BufferAttribute(new Float32Array(3 * capacity), 3);
    this.looks = new Float32BufferAttribute(new Float32Array(4 * capacity), 4);
    this.sizes = new Float32BufferAttribute(new Float32Array(capacity), 1);
    for (const each of [this.places, this.looks, this.sizes]) each.setUsage(DynamicDrawUsage);
    geometry.setAttribute("position", this.places);
    geometry.setAttribute("look", this.looks);
    geometry.setAttribute("size", this.sizes);
    this.material = new ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthTest: false, depthWrite: false,
      uniforms: { ratio: { value: 1 }, edge: { value: null } },
    });
    this.mesh = new Points(geometry, this.material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 20;
  }

  setLook(ratio: number, edge: Color): void {
    this.material.uniforms.ratio!.value = ratio;
    this.material.uniforms.edge!.value = edge;
  }

  begin(): void {
    this.count = 0;
  }

  add(x: number, y: number, z: number, colour: Color, size: number, shape: number): void {
    if (this.count >= this.capacity || !(x + y + z < Infinity)) return;
    const i = this.count;
    const place = this.places.array, look = this.looks.array;
    place[3 * i] = x; place[3 * i + 1] = y; place[3 * i + 2] = z;
    look[4 * i] = colour.r; look[4 * i + 1] = colour.g; look[4 * i + 2] = colour.b; look[4 * i + 3] = shape;
    this.sizes.array[i] = size;
    this.count += 1;
  }

  end(): void {
    this.mesh.geometry.setDrawRange(0, this.count);
    this.places.needsUpdate = this.looks.needsUpdate = this.sizes.needsUpdate = true;
  }

  dispose(): void {
    this.mesh.removeFromParent();
    this.mesh.geometry.dispose();
    this.material.dispose();
  }
}
