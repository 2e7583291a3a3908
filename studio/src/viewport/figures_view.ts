// All figures in the scene: the result, the capture behind it, and copies for tests of speed.

import { Color, Group } from "three";
import { figures, type FigureData, type MotionData } from "../store";
import { FigureView, type FigureStyle } from "./figure_view";
import type { Pose } from "./kinematics";
import type { Moment } from "./moment";

const APART_M = 1.2;

class Slot {
  view: FigureView | null = null;
  private painted = -1;
  private grounded = -1;
  private skin = false;
  private bones = false;
  private colour = "";

  constructor(private readonly group: Group, private readonly style: FigureStyle, private readonly cheap: boolean) {}

  /** The view of a motion at a frame; made anew when it is another body. */
  set(moment: Moment, motion: MotionData | null, frame: number, colour: "before" | "after"): FigureView | null {
    const figure = motion ? figures.peek().get(motion.figure) : undefined;
    if (!motion || !figure || motion.frames === 0 || figure.message.joint_names.length !== motion.joints) {
      if (this.view) this.view.group.visible = false;
      return null;
    }
    const view = this.viewOf(figure);
    view.group.visible = true;
    view.set(motion, frame);
    const { palette, ground, shown } = moment;
    const same = colour === this.colour && shown.skin === this.skin && shown.bones === this.bones;
    if (palette.version !== this.painted || !same) {
      this.painted = palette.version;
      this.colour = colour;
      this.skin = shown.skin;
      this.bones = shown.bones;
      const pure = palette.colours[colour];
      view.colour(softened(pure, moment, this.style), pure, palette.colours.bg, palette.dark);
      view.show(shown.skin, shown.bones);
    }
    if (ground.version !== this.grounded) {
      this.grounded = ground.version;
      view.setGround(ground.flatten);
    }
    return view;
  }

  private viewOf(figure: FigureData): FigureView {
    if (this.view?.figure === figure) return this.view;
    this.view?.dispose();
    this.view = new FigureView(figure, this.style, this.cheap);
    this.group.add(this.view.group);
    this.painted = this.grounded = -1;
    return this.view;
  }

  hide(): void {
    if (this.view) this.view.group.visible = false;
  }

  dispose(): void {
    this.view?.dispose();
    this.view = null;
  }
}

/** Skin is a calmer shade of the colour that stands for the motion. */
function softened(colour: Color, { palette }: Moment, style: FigureStyle): Color {
  if (style === "ghost") return SHADE.copy(colour);
  return SHADE.copy(colour).lerp(palette.dark ? PALE : LIGHT, 0.18);
}

const SHADE = new Color(), PALE = new Color(0xd8dde6), LIGHT = new Color(0xffffff);

export class FiguresView {
  readonly group = new Group();
  /** So many more beside the first one, each at a time of its own. */
  copies = 0;
  private readonly main: Slot;
  private readonly ghost: Slot;
  private readonly crowd: Slot[] = [];

  constructor(private readonly cheap: boolean) {
    this.main = new Slot(this.group, "solid", cheap);
    this.ghost = new Slot(this.group, "ghost", cheap);
  }

  /** The pose of the motion that is shown. */
  update(moment: Moment): Pose | null {
    const { motion, before, shown, frame } = moment;
    const captured = motion?.which === "before";
    const main = this.main.set(moment, motion, frame, captured ? "before" : "after");
    if (shown.before && before && !captured) this.ghost.set(moment, before, frame, "before");
    else this.ghost.hide();
    while (this.crowd.length < this.copies) this.crowd.push(new Slot(this.group, "solid", this.cheap));
    this.crowd.forEach((slot, i) => {
      if (i >= this.copies || !motion) return slot.hide();
      const at = (frame + (7.3 * (i + 1))) % Math.max(1, motion.frames - 1);
      const view = slot.set(moment, motion, at, "after");
      view?.group.position.set(APART_M * (i % 2 ? -1 : 1) * Math.ceil((i + 1) / 2), 0, 0);
    });
    return main?.pose ?? null;
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const each of [this.main, this.ghost, ...this.crowd]) each.dispose();
  }
}
