// How bodies are lit: sky, ground and a sun, worked out for vertices and not for pixels. On round limbs it
// looks the same, and it costs little even without a graphics card.

import { Color, ShaderMaterial, type ShaderMaterialParameters } from "three";

const VERTEX = `
#include <common>
#include <skinning_pars_vertex>
uniform vec3 colour;
uniform float sky;
uniform float ground;
uniform float sun;
uniform float glow;
varying vec3 lit;
void main() {
  #include <beginnormal_vertex>
  #include <skinbase_vertex>
  #include <skinnormal_vertex>
  #include <begin_vertex>
  #include <skinning_vertex>
  #include <project_vertex>
  vec3 facing = normalize(mat3(modelMatrix) * objectNormal);
  float light = mix(ground, sky, 0.5 + 0.5 * facing.y);
  light += sun * max(0.0, dot(facing, vec3(-0.303, 0.808, 0.505)));
  lit = colour * (light + glow);
}`;

const FRAGMENT = `
uniform float opacity;
varying vec3 lit;
void main() {
  gl_FragColor = vec4(lit, opacity);
  #include <colorspace_fragment>
}`;

export class BodyMaterial extends ShaderMaterial {
  constructor(alpha: number, parameters: ShaderMaterialParameters = {}) {
    super({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: alpha < 1, ...parameters,
      uniforms: {
        colour: { value: new Color() }, opacity: { value: alpha }, sky: { value: 0.5 }, ground: { value: 0.25 },
        sun: { value: 0.5 }, glow: { value: 0 },
      },
    });
  }

  paint(colour: Color, dark: boolean, glow = 0): void {
    const { uniforms } = this;
    (uniforms.colour!.value as Color).copy(colour);
    uniforms.sky!.value = dark ? 0.48 : 0.6;
    uniforms.ground!.value = dark ? 0.2 : 0.3;
    uniforms.sun!.value = dark ? 0.5 : 0.48;
    uniforms.glow!.value = glow;
  }

  /** Solid, or glass. */
  set alpha(alpha: number) {
    this.uniforms.opacity!.value = alpha;
    this.transparent = alpha < 1;
    this.depthWrite = alpha >= 1;
    this.needsUpdate = true;
  }
}
