// The guided first run: what to do on the walk, step by step. Only things that the studio does.

import { documentState, openStep, playing, progress, recipe, selection, type Recipe } from "../store";
import { stepCount, wishesOf } from "../recipe";
import { showLeft, showRight, rightTab } from "./ui";

export interface TourStep {
  title: string;
  text: string;
  /** Elements that the card points at: the first that is there. */
  at: string[];
  /** Inside a large element, in its corner, instead of beside it. */
  inside?: boolean;
  /** A menu unfolds below what it points at, from this edge of it. */
  menu?: "left" | "right";
  /** Before it is shown. */
  before?(): void;
  /** Whether the user has done it, since the recipe was as it is given; it stays done. */
  done?(start: Recipe | null): boolean;
}

const wishes = (of: Recipe | null): string => JSON.stringify(of && wishesOf(of, openStep.value));
/** A new document has constraints of its own: only others are the user's. */
const asked = (start: Recipe | null): boolean => wishes(recipe.value) !== wishes(start);

export const TOUR: TourStep[] = [
  {
    title: "Open the walk",
    text: "Samples are made by code: balanced, with feet that stand still. A good place to start from.",
    at: ["open-sample-walk", "tab-open"],
    before: () => documentState.value && showLeft("open"),
    done: () => documentState.value !== null,
  },
  {
    title: "Play it",
    text: "Press Space, or this button. Arrow keys go frame by frame, and the ruler can be scrubbed.",
    at: ["tl-play", "timeline"],
    done: () => playing.value,
  },
  {
    title: "Pick the right wrist",
    text: "Pause where the hand should be elsewhere. Click the right wrist; left and right are the figure's own.",
    at: ["viewport"],
    inside: true,
    done: () => selection.value !== null,
  },
  {
    title: "Drag it",
    text: "Pull an arrow. The hand passes the new place in this frame; arm, trunk and the frames around it follow while you drag.",
    at: ["viewport"],
    inside: true,
    done: asked,
  },
  {
    title: "See whether it holds",
    text: "Amber is the capture, blue the result. The patch on the ground is what the feet span: as long as the zero-moment point is inside, the body can keep its balance.",
    at: ["viewport"],
    inside: true,
  },
  {
    title: "Say what yields to what",
    text: "What you dragged is a constraint, below the feet and above balance and posture, which are kept from the start. A lesser layer never disturbs a greater one. Drag rows, change their numbers, or add another.",
    at: ["constraint-add", "tab-constraints"],
    before: () => showLeft("constraints"),
    done: asked,
  },
  {
    title: "Let physics have a say",
    text: "Add a step with +, such as Filter or Correct: it works on what the steps before it made.",
    at: ["add-step"],
    menu: "left",
    done: () => (recipe.value ? stepCount(recipe.value) > 1 : false),
  },
  {
    title: "Run it",
    text: "Dragging is solved at once; other methods take their time. The bar says how far they are, and Cancel leaves everything as it was.",
    at: ["run", "cancel"],
    done: () => progress.value !== null,
  },
  {
    title: "Read the measures",
    text: "How far feet slide, how well it balances, how hard joints work: before and after, with curves over time.",
    at: ["tab-measures"],
    before: () => showRight("measures"),
    done: () => rightTab.value === "measures" && documentState.value !== null,
  },
  {
    title: "Take it along",
    text: "Download the clip, or save the recipe: poise run does the same edit again, on this clip or on another.",
    at: ["export"],
    menu: "right",
  },
];
