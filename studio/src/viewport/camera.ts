// Where one looks from: orbit, pan, zoom; views along the axes without perspective; following the figure.

import { MOUSE, OrthographicCamera, PerspectiveCamera, Sphere, Vector3 } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

export type ViewName = "perspective" | "top" | "front" | "side";
export type AnyCamera = PerspectiveCamera | OrthographicCamera;

const FIELD_DEG = 40;
const WAYS: Record<ViewName, Vector3> = {
  perspective: new Vector3(0.62, 0.32, 0.72).normalize(),
  // A hair off the axis: straight down, up has no direction.
  top: new Vector3(0, 1, 1e-4).normalize(),
  front: new Vector3(0, 0, 1),
  side: new Vector3(1, 0, 0),
};

export class CameraRig {
  readonly perspective = new PerspectiveCamera(FIELD_DEG, 1, 0.05, 200);
  readonly flat = new OrthographicCamera(-1, 1, 1, -1, -100, 300);
  readonly controls: OrbitControls;
  active: AnyCamera = this.perspective;
  view: ViewName = "perspective";
  following = true;
  private width = 1;
  private height = 1;
  private readonly step = new Vector3();
  private readonly followed = new Vector3(NaN, NaN, NaN);

  constructor(canvas: HTMLElement, changed: () => void) {
    this.controls = new OrbitControls(this.perspective, canvas);
    const { controls } = this;
    controls.enableDamping = false;
    controls.zoomToCursor = true;
    controls.minDistance = 0.1;
    controls.maxDistance = 80;
    controls.mouseButtons = { LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.PAN, RIGHT: MOUSE.PAN };
    controls.target.set(0, 0.9, 0);
    this.perspective.position.copy(controls.target).addScaledVector(WAYS.perspective, 5);
    controls.addEventListener("change", changed);
    controls.update();
  }

  resize(width: number, height: number): void {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.perspective.aspect = this.width / this.height;
    this.perspective.updateProjectionMatrix();
    this.setFlatSize(this.flat.top);
  }

  private setFlatSize(half: number): void {
    const aspect = this.width / this.height;
    Object.assign(this.flat, { left: -half * aspect, right: half * aspect, top: half, bottom: -half });
    this.flat.updateProjectionMatrix();
  }

  get distance(): number {
    return this.active.position.distanceTo(this.controls.target);
  }

  setView(name: ViewName): void {
    const { target } = this.controls;
    // What was as high as the picture is to stay so.
    const half = this.active === this.flat
      ? this.flat.top / this.flat.zoom
      : this.distance * Math.tan((FIELD_DEG * Math.PI) / 360);
    const flat = name !== "perspective";
    const camera = flat ? this.flat : this.perspective;
    const distance = half / Math.tan((FIELD_DEG * Math.PI) / 360);
    camera.position.copy(target).addScaledVector(WAYS[name], distance);
    if (flat) {
      this.flat.zoom = 1;
      this.setFlatSize(half);
    }
    this.active = camera;
    this.view = name;
    this.controls.object = camera;
    this.controls.update();
  }

  /** Look at a ball from where one looks now. */
  frame(ball: Sphere): void {
    const { target } = this.controls;
    const way = this.step.copy(this.active.position).sub(target).normalize();
    if (!(way.lengthSq() > 0.5)) way.copy(WAYS[this.view]);
    const aspect = Math.min(1, this.width / this.height);
    const sine = Math.sin((FIELD_DEG * Math.PI) / 360);
    const distance = Math.max(0.3, ball.radius / (sine * aspect));
    target.copy(ball.center);
    this.active.position.copy(target).addScaledVector(way, distance);
    if (this.active === this.flat) {
      this.flat.zoom = 1;
      this.setFlatSize(ball.radius / aspect);
    }
    this.controls.update();
  }

  /** Go along with the figure over the ground, if that is wanted; not where an edit has put it elsewhere. */
  follow(x: number, z: number, edited: boolean): void {
    const { followed, step } = this;
    if (this.following && !edited && followed.x === followed.x) {
      step.set(x - followed.x, 0, z - followed.z);
      if (step.lengthSq() > 0) {
        this.controls.target.add(step);
        this.active.position.add(step);
        this.active.updateMatrixWorld();
      }
    }
    followed.set(x, 0, z);
  }

  /** Near and far as the distance asks: the depth buffer has only so many steps. */
  setDepths(): void {
    if (this.active === this.flat) return;
    const near = Math.max(0.01, this.distance / 60);
    if (Math.abs(near - this.perspective.near) < 0.05 * near) return;
    this.perspective.near = near;
    this.perspective.far = 4000 * near + 60;
    this.perspective.updateProjectionMatrix();
  }

  dispose(): void {
    this.controls.dispose();
  }
}
