// The picture: one loop that draws when something it shows has changed, and while motion plays.

import { effect } from "@preact/signals";
import { Box3, DirectionalLight, HemisphereLight, Scene, Sphere, Vector2, Vector3, WebGLRenderer } from "three";
import { wishesOf } from "../recipe";
import {
  current, documentState, figures, frame, gizmo, goals, motions, physics, place, playing, recipe, selection, shown,
  type MotionData,
} from "../store";
import { CameraRig, type ViewName } from "./camera";
import { Dots } from "./dots";
import { DragSession } from "./drag_session";
import { FiguresView } from "./figures_view";
import { Footprints } from "./footprints";
import { GoalOverlay } from "./goal_overlay";
import { allGrips, goalGrip, pointGrip, type Grip, type Scenery } from "./grips";
import { GroundView } from "./ground";
import { LeapOverlay } from "./leap";
import { halfPicture } from "./lines";
import { Manipulator } from "./manipulator";
import type { Moment } from "./moment";
import { Nudging } from "./nudging";
import { Palette } from "./palette";
import { PhysicsOverlay } from "./physics_overlay";
import { Picker } from "./picking";
import { markPoints } from "./point_marks";
import { findPoint } from "./points";
import { drawsInSoftware } from "./software";
import { Tip } from "./tip";
import { Trails } from "./trails";

const MOST_DOTS = 1024;
const MOST_PIXEL_RATIO = 2;
const LONG_M = 2.5;
const HOLD_BACK_MS = 60;

export class Engine {
  readonly canvas = document.createElement("canvas");
  readonly scene = new Scene();
  readonly renderer: WebGLRenderer;
  readonly rig: CameraRig;
  readonly session = new DragSession(() => this.drawAtOnce());
  readonly picker: Picker;
  readonly manipulator: Manipulator;
  readonly nudging: Nudging;
  readonly figuresView: FiguresView;
  readonly moment: Moment;
  /** Pictures so far, and the time our own code took for them, without the renderer. */
  readonly stats = { frames: 0, cpuMs: 0, renderMs: 0, lastCpuMs: 0 };
  private readonly scenery: Scenery;
  private readonly palette: Palette;
  private readonly ground = new GroundView();
  private readonly trails = new Trails();
  private readonly sky = new HemisphereLight(0xffffff, 0xffffff, 1.7);
  private readonly sun = new DirectionalLight(0xffffff, 1.9);
  private readonly tip: Tip;
  private readonly resizing = new ResizeObserver(() => this.resize());
  private readonly stops: (() => void)[] = [];
  private readonly ratio: () => number;
  private readonly slow: boolean;
  private drawnAt = 0;
  private request = 0;
  private grips: Grip[] = [];
  private gripsFor: unknown[] = [];
  private framedFor = "";
  private followedIn: MotionData | null = null;
  private compiledFor: unknown = null;
  private grip: Grip | null = null;
  private gripFor: { selection: unknown; figure: unknown; goals: unknown } = { selection: null, figure: null, goals: null };

  constructor(private readonly host: HTMLElement) {
    this.canvas.className = "vp-canvas";
    this.canvas.setAttribute("data-testid", "vp-canvas");
    host.append(this.canvas);
    this.tip = new Tip(host);
    const slow = (this.slow = drawsInSoftware());
    this.renderer = new WebGLRenderer({
      canvas: this.canvas, antialias: !slow, stencil: true, powerPreference: "high-performance",
    });
    this.ratio = () => (slow ? 1 : Math.min(MOST_PIXEL_RATIO, devicePixelRatio));
    this.canvas.addEventListener("webglcontextrestored", () => this.invalidate());
    this.palette = new Palette(host, () => this.invalidate());
    this.figuresView = new FiguresView(slow);
    const physicsOverlay = new PhysicsOverlay();
    const footprints = new Footprints(), leap = new LeapOverlay(), goalOverlay = new GoalOverlay();
    this.moment = {
      frame: 0, row: 0, motion: null, before: null, figure: null, pose: null, physics: null, lastPhysics: null,
      captured: null, goals: null, recipe: null, selection: null, shown: shown.peek(), ground: this.ground, palette: this.palette,
      dots: new Dots(MOST_DOTS), hovered: "", held: "",
    };
    this.scenery = { moment: this.moment, physics: physicsOverlay, footprints, leap, goals: goalOverlay };
    this.sun.position.set(-1.5, 4, 2.5);
    this.scene.add(
      this.sky, this.sun, this.ground.group, this.figuresView.group, footprints.group, physicsOverlay.group,
      this.trails.group, leap.group, goalOverlay.group, this.moment.dots.mesh,
    );
    this.rig = new CameraRig(this.canvas, () => this.invalidate());
    this.picker = new Picker(this.canvas, () => this.rig.active);
    // Its listeners come before the orbit's: what it takes, the camera does not get.
    this.rig.controls.disconnect();
    this.manipulator = new Manipulator(this.scene, host, this.canvas, {
      rig: this.rig, picker: this.picker, session: this.session, moment: this.moment,
      grips: () => this.allGrips(), chosen: () => this.chosenGrip(), settle: () => this.update(),
      invalidate: () => this.invalidate(), hover: (grip) => this.hover(grip), tip: this.tip,
    });
    this.rig.controls.connect(this.canvas);
    this.nudging = new Nudging(this.manipulator);
    this.resizing.observe(host);
    this.resize();
    this.stops.push(effect(() => {
      // Whatever of these changes, there is another picture to draw.
      void [current.value, motions.value, figures.value, physics.value, place.value, goals.value, frame.value];
      void [playing.value, recipe.value, selection.value, shown.value, gizmo.value];
      this.invalidate();
    }));
  }

  invalidate(): void {
    if (this.request || this.holdsBack()) return;
    this.request = requestAnimationFrame(this.tick);
  }

  /** Where drawing is slow, a drag draws the answers and not every move in between: they would wait for it. */
  private holdsBack(): boolean {
    return this.slow && this.session.active && this.session.busy && performance.now() - this.drawnAt < HOLD_BACK_MS;
  }

  /** An answer of a drag is drawn when it comes, for the next picture of the screen and not the one after. */
  private drawAtOnce(): void {
    cancelAnimationFrame(this.request);
    this.tick();
  }

  private readonly tick = (): void => {
    this.request = 0;
    if (playing.peek()) this.invalidate();
    const began = performance.now();
    this.update();
    const made = performance.now();
    this.compile();
    this.renderer.render(this.scene, this.rig.active);
    const done = (this.drawnAt = performance.now());
    this.session.rendered();
    this.stats.frames += 1;
    this.stats.lastCpuMs = made - began;
    this.stats.cpuMs += made - began;
    this.stats.renderMs += done - made;
  };

  /** All shaders at once when there is a new body: the first drag is not to wait for its own. */
  private compile(): void {
    const { figure } = this.moment;
    if (figure === this.compiledFor) return;
    this.compiledFor = figure;
    this.renderer.compile(this.scene, this.rig.active);
  }

  /** Bring everything in the scene to what the signals say now. */
  private update(): void {
    const { moment, scenery, palette } = this;
    const motion = current.peek();
    const all = physics.peek();
    moment.motion = motion;
    moment.before = motions.peek().get("before") ?? null;
    moment.figure = (motion && figures.peek().get(motion.figure)) ?? null;
    moment.frame = motion ? Math.min(Math.max(0, frame.peek()), motion.frames - 1) : 0;
    moment.row = Math.round(moment.frame);
    const own = (motion && all.get(motion.which)) ?? null;
    // Of a drag the last that came will do; else it is to be of this very motion.
    moment.physics = own && (motion!.which === "live" || own.motion === motion) ? own : null;
    moment.lastPhysics = all.get("after") ?? all.get("before") ?? null;
    moment.captured = all.get("before") ?? null;
    moment.goals = goals.peek();
    moment.recipe = this.session.latest ?? recipe.peek();
    moment.selection = selection.peek();
    moment.shown = shown.peek();
    moment.held = this.manipulator.held?.key ?? "";
    this.ground.set(place.peek());
    this.paint(palette);
    moment.dots.begin();
    moment.pose = this.figuresView.update(moment);
    this.followFigure();
    this.ground.follow(this.rig.controls.target.x, this.rig.controls.target.z, moment.shown.grid);
    scenery.footprints.update(moment);
    scenery.physics.update(moment);
    this.trails.update(moment);
    scenery.leap.update(moment);
    scenery.goals.update(moment);
    markPoints(moment);
    this.manipulator.update(moment);
    moment.dots.end();
    this.rig.setDepths();
  }

  private paintedFor = -1;

  private paint(palette: Palette): void {
    if (palette.version === this.paintedFor) return;
    this.paintedFor = palette.version;
    const { colours, dark } = palette;
    this.renderer.setClearColor(colours.bg);
    this.ground.colour(palette);
    this.sky.groundColor.set(dark ? 0x6a6f78 : 0x9a9fa8);
    this.sky.intensity = dark ? 1.5 : 1.9;
    this.sun.intensity = dark ? 1.7 : 1.6;
    this.moment.dots.setLook(this.renderer.getPixelRatio(), colours.bg);
    this.manipulator.paint("#e2574c", "#57a639", "#4a7fe0", `#${colours.accent.getHexString()}`);
  }

  private followFigure(): void {
    const { pose, motion } = this.moment;
    const id = documentState.peek()?.id ?? "";
    if (!pose) return;
    if (this.framedFor !== id) {
      this.framedFor = id;
      this.frameWay();
    }
    this.rig.follow(pose.places[0]!, pose.places[2]!, motion !== this.followedIn);
    this.followedIn = motion;
  }

  // Grips.

  private allGrips(): readonly Grip[] {
    const { footprints, leap, goals: overlay } = this.scenery;
    const { figure, shown: now, pose } = this.moment;
    const about = [figure, pose, now, footprints.prints, leap.grounds, leap.flights, overlay.goals, overlay.passes];
    if (about.some((each, i) => each !== this.gripsFor[i])) {
      this.gripsFor = about;
      this.grips = allGrips(this.scenery);
    }
    return this.grips;
  }

  /** By its key, or by the name of a point. */
  gripNamed(name: string): Grip | null {
    const key = name === "center_of_mass" ? "center" : name;
    const known = this.allGrips().find((each) => each.key === key || each.key === `point:${key}`);
    if (known) return known;
    const point = this.moment.figure && findPoint(this.moment.figure, name);
    return point ? pointGrip(this.scenery, point) : null;
  }

  private chosenGrip(): Grip | null {
    const { figure, goals: listed } = this.moment;
    const chosen = selection.peek(), last = this.gripFor;
    if (last.selection === chosen && last.figure === figure && last.goals === listed) return this.grip;
    this.gripFor = { selection: chosen, figure, goals: listed };
    this.grip = null;
    if (chosen?.kind === "point") this.grip = this.gripNamed(chosen.name);
    else if (chosen?.kind === "constraint") {
      const { step, index, point } = chosen;
      const key = point === undefined ? `goal:${step}:${index}` : `pass:${step}:${index}:${point}`;
      const wish = this.moment.recipe && wishesOf(this.moment.recipe, step)[index];
      this.grip = wish?.kind === "place_center_of_mass"
        ? this.gripNamed("center") : goalGrip(this.scenery, key, step, index, point);
    }
    return this.grip;
  }

  selectedGrip(): Grip | null {
    return this.chosenGrip() ?? this.manipulator.picked;
  }

  gripKeys(): string[] {
    return this.allGrips().map((each) => each.key);
  }

  private hover(grip: Grip | null): void {
    const key = grip?.key ?? "";
    this.tip.say(grip?.label ?? "");
    this.canvas.style.cursor = grip ? "pointer" : "";
    if (key === this.moment.hovered) return;
    this.moment.hovered = key;
    this.invalidate();
  }

  // The camera.

  setView(name: ViewName): void {
    this.rig.setView(name);
    this.invalidate();
  }

  /** What is selected, else the figure, fills the picture. */
  frameSelection(): void {
    const chosen = this.selectedGrip();
    const ball = new Sphere();
    if (chosen?.at(ball.center)) ball.radius = 0.45;
    else if (!this.frameOfFigure(ball)) ball.set(new Vector3(0, 0.9, 0), 1.3);
    this.rig.frame(ball);
    this.invalidate();
  }

  private frameOfFigure(ball: Sphere): boolean {
    const { figure, pose } = this.moment;
    if (!pose) return false;
    new Box3().setFromArray(pose.places).getBoundingSphere(ball);
    // The skin goes beyond the joints: some robots have none above the shoulders.
    ball.radius = Math.max(0.5, 1.12 * ball.radius, 0.62 * (figure?.message.height_m ?? 0));
    return true;
  }

  /** A clip that was just opened: all of its way if that is short, else the figure. */
  private frameWay(): void {
    const { motion, pose } = this.moment;
    const ball = new Sphere();
    if (!motion || !pose || !this.frameOfFigure(ball)) return;
    const way = new Box3().setFromArray(motion.roots);
    const long = Math.hypot(way.max.x - way.min.x, way.max.z - way.min.z);
    if (long < LONG_M) {
      const { y } = ball.center;
      way.getCenter(ball.center).setY(y);
      ball.radius += 0.4 * long;
    } else ball.radius *= 1.2;
    this.rig.frame(ball);
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.host;
    if (!clientWidth || !clientHeight) return;
    this.renderer.setPixelRatio(this.ratio());
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.paintedFor = -1;
    halfPicture.set(clientWidth / 2, clientHeight / 2);
    this.rig.resize(clientWidth, clientHeight);
    this.tip.measure();
    // At once: a canvas of a new size is empty until it is drawn.
    cancelAnimationFrame(this.request);
    this.tick();
  }

  /** Pixels of the page where a point is seen. */
  project(place: Vector3): Vector2 | null {
    return this.picker.project(place, new Vector2());
  }

  dispose(): void {
    cancelAnimationFrame(this.request);
    this.request = -1;
    for (const stop of this.stops) stop();
    this.resizing.disconnect();
    this.nudging.dispose();
    this.manipulator.dispose();
    this.session.dispose();
    this.rig.dispose();
    this.palette.dispose();
    const { physics: balance, footprints, leap, goals: overlay, moment } = this.scenery;
    for (const each of [this.figuresView, this.ground, this.trails, balance, footprints, leap, overlay, moment.dots]) each.dispose();
    this.renderer.dispose();
    // A browser has only some of these to give, and takes its time to notice.
    this.renderer.forceContextLoss();
    this.canvas.remove();
    this.tip.dispose();
  }
}
