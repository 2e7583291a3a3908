// One figure in the scene: skin, bones and shadow, all moved by one set of bone matrices.

import {
  Bone, DetachedBindMode, Group, KeepStencilOp, LessEqualDepth, Material, Matrix4,
  MeshBasicMaterial, NotEqualStencilFunc, ReplaceStencilOp, Skeleton, SkinnedMesh,
  type BufferGeometry, type Color,
} from "three";
import type { FigureData, MotionData } from "../store";
import { BodyMaterial } from "./body_material";
import { meshOf } from "./figure_mesh";
import { Pose, shapeOf, type Shape } from "./kinematics";

/** Matrices come from our own loop: three only has to take them to the card. */
class PosedSkeleton extends Skeleton {
  constructor(count: number) {
    super(Array.from({ length: count }, () => new Bone()));
    this.computeBoneTexture();
  }

  override update(): void {
    // Nothing: `posed` says when there is something new.
  }

  posed(): void {
    if (this.boneTexture) this.boneTexture.needsUpdate = true;
  }
}

/** In steps of the depth buffer: some decimetres at arm's length of a figure. */
const BEHIND = 40_000;

export type FigureStyle = "solid" | "ghost";

export class FigureView {
  readonly group = new Group();
  readonly pose: Pose;
  readonly shape: Shape;
  private readonly skeleton: PosedSkeleton;
  private readonly skin: SkinnedMesh;
  private readonly depth: SkinnedMesh | null = null;
  private readonly bones: SkinnedMesh;
  private readonly shadow: SkinnedMesh | null = null;
  private readonly faint: boolean;
  private readonly skinMaterial: BodyMaterial;
  private readonly boneMaterial: BodyMaterial;
  private motion: MotionData | null = null;
  private frame = NaN;

  constructor(readonly figure: FigureData, readonly style: FigureStyle, cheap: boolean) {
    this.shape = shapeOf(figure);
    this.pose = new Pose(this.shape);
    this.skeleton = new PosedSkeleton(this.shape.joints);
    const mesh = meshOf(figure);
    const ghost = style === "ghost";
    // Where nothing draws quickly, the ghost is no glass but a faint figure behind the other.
    this.faint = ghost && cheap;
    this.skinMaterial = new BodyMaterial(ghost && !cheap ? 0.42 : 1, {
      depthFunc: LessEqualDepth,
      // Where both are in the same place, the result is seen and not a flicker of both.
      polygonOffset: ghost, polygonOffsetFactor: 1, polygonOffsetUnits: cheap ? BEHIND : 2,
    });
    this.boneMaterial = new BodyMaterial(ghost ? 0.5 : 1);
    const own = cheap ? mesh.coarse : mesh.skin;
    this.skin = this.mesh(own, this.skinMaterial, ghost && !cheap ? 3 : 0);
    this.bones = this.mesh(mesh.bones, this.boneMaterial, ghost ? 3 : 0);
    if (ghost && !cheap) {
      // Its own depth first, so that limbs behind limbs do not add up.
      const depthOnly = new MeshBasicMaterial({
        colorWrite: false, transparent: true, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 2,
      });
      this.depth = this.mesh(own, depthOnly, 2);
    } else if (!ghost) {
      this.shadow = this.mesh(mesh.blocky, shadowMaterial(), 1);
      this.shadow.matrixAutoUpdate = false;
    }
    this.group.matrixAutoUpdate = true;
  }

  private mesh(geometry: BufferGeometry, material: Material, order: number): SkinnedMesh {
    const made = new SkinnedMesh(geometry, material);
    made.bindMode = DetachedBindMode;
    made.bind(this.skeleton, new Matrix4());
    // Bounds of the rest pose say nothing about where it is now.
    made.frustumCulled = false;
    made.renderOrder = order;
    this.group.add(made);
    return made;
  }

  colour(skin: Color, bones: Color, ground: Color, dark: boolean): void {
    if (this.faint) skin.lerp(ground, dark ? 0.6 : 0.4);
    // Glass has no dark side: it would be mistaken for a shadow.
    this.skinMaterial.paint(skin, dark, this.style === "ghost" ? (dark ? 0.35 : 0.15) : 0);
    this.boneMaterial.paint(bones, dark);
    if (this.shadow) (this.shadow.material as MeshBasicMaterial).opacity = dark ? 0.45 : 0.16;
  }

  show(skin: boolean, bones: boolean): void {
    this.skin.visible = skin;
    if (this.depth) this.depth.visible = skin;
    if (this.shadow) this.shadow.visible = skin;
    this.bones.visible = bones || !skin;
    if (this.style === "solid" && this.skinMaterial.transparent !== (skin && bones)) {
      // With both, the skin is glass around the bones.
      this.skinMaterial.alpha = skin && bones ? 0.45 : 1;
    }
  }

  /** Where the shadow falls: a flattening onto the ground. */
  setGround(flatten: Matrix4): void {
    this.shadow?.matrix.copy(flatten);
  }

  /** Take a pose; whether anything had to be done. */
  set(motion: MotionData, frame: number): boolean {
    if (motion === this.motion && frame === this.frame) return false;
    this.motion = motion;
    this.frame = frame;
    this.pose.set(motion, frame);
    this.pose.writeBones(this.skeleton.boneMatrices as Float32Array);
    this.skeleton.posed();
    return true;
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const each of this.group.children) ((each as SkinnedMesh).material as Material).dispose();
    this.skeleton.dispose();
  }
}

function shadowMaterial(): MeshBasicMaterial {
  // The stencil keeps it one shade, however many limbs fall on the same spot.
  return new MeshBasicMaterial({
    color: 0x000000, transparent: true, opacity: 0.16, depthWrite: false,
    stencilWrite: true, stencilRef: 1, stencilFunc: NotEqualStencilFunc,
    stencilFail: KeepStencilOp, stencilZFail: KeepStencilOp, stencilZPass: ReplaceStencilOp,
  });
}
