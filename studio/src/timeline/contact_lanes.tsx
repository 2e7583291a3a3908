// What touches when: a lane for every part, bars to move, stretch, split, add and take away.

import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Touch } from "../messages";
import { frame, rate, selection } from "../store";
import { across, Bar, type Side } from "./bar";
import {
  confidenceOf, doubtInWords, doubts, goToDoubt, mean, paleness, unknown, unknownInWords, visitedInWords,
} from "./confidence";
import { addTouch, moveTouch, stretchTouch } from "./contacts";
import { Heading, Lane } from "./lane";
import { openMenu } from "./menu";
import { startDrag } from "./pointer";
import { snapEdge, snapMove, snapTargets } from "./snapping";
import { hideTip, showTip } from "./tip";
import {
  contactSource, flushTouches, ghosts, keepTouches, nudgeTouch, parts, preview, removeAt,
  selectTouch, settledTouches, splitAt, splitSelected, toggleAt, touches,
} from "./touch_state";
import { clipFrames, xToFrame } from "./view";
import { framesAndSeconds, partName } from "./words";

const open = signal(true);
const all = signal(false);

/** Feet first, then what is near the ground, then the order of the body. */
function rank(part: string): number {
  return ["foot", "toe", "heel", "hand"].findIndex((word) => part.includes(word)) >>> 0;
}

const lanes = computed(() => {
  const touched = new Set([...touches.value, ...ghosts.value].map((each) => each.part));
  const doubtful = new Set(doubts.value.map((each) => each.part));
  const sorted = [...new Set([...parts.value, ...touched])].sort((a, b) => rank(a) - rank(b));
  const used = sorted.filter((part) => touched.has(part) || doubtful.has(part) || part.endsWith("foot"));
  return { shown: all.value ? sorted : used, hidden: sorted.length - used.length };
});

function describe(touch: Touch): string {
  return framesAndSeconds(touch.first, touch.last, rate.peek());
}

function grab(down: PointerEvent, index: number, side: Side | null): void {
  flushTouches();
  const base = settledTouches();
  const own = base[index];
  if (!own) return;
  const from = xToFrame(down.clientX);
  const targets = snapTargets({ touch: index });
  const frames = clipFrames.peek();
  startDrag(down, {
    move: (event) => {
      const at = xToFrame(event.clientX);
      preview.value = side === null
        ? moveTouch(base, index, snapMove(own.first, own.last, at - from, targets, event.shiftKey), frames)
        : stretchTouch(base, index, side, snapEdge(at, targets[side], event.shiftKey), frames);
      showTip(event, describe(preview.value[index]!));
    },
    end: () => {
      hideTip();
      const now = preview.peek();
      const label = `${side === null ? "move" : "stretch"} contact of ${partName(own.part)}`;
      if (now) keepTouches(now, label, now[index]);
    },
    cancel: giveUp,
  });
}

function giveUp(): void {
  hideTip();
  preview.value = null;
}

/** Alt and drag in an empty place: a new bar. */
function draw(down: PointerEvent, part: string): void {
  if (!down.altKey || down.button !== 0 || (down.target as Element).closest("[data-grab]")) return;
  down.stopPropagation();
  down.preventDefault();
  flushTouches();
  const base = settledTouches();
  const from = Math.round(xToFrame(down.clientX));
  const targets = snapTargets({});
  startDrag(down, {
    atOnce: true,
    move: (event) => {
      const at = xToFrame(event.clientX);
      const to = snapEdge(at, at < from ? targets.first : targets.last, event.shiftKey);
      preview.value = addTouch(base, part, from, to, clipFrames.peek());
      const added = preview.value?.at(-1);
      if (added) showTip(event, describe(added));
    },
    end: () => {
      hideTip();
      const now = preview.peek();
      if (now) keepTouches(now, `add contact of ${partName(part)}`, now.at(-1));
    },
    cancel: giveUp,
  });
}

/** Where there is room at the cursor: a new bar of a few frames, for those who do not drag. */
function addHere(part: string): void {
  const at = Math.round(frame.peek());
  const reach = Math.max(1, Math.round(0.1 * rate.peek()));
  const base = settledTouches();
  const left = addTouch(base, part, at, at - reach, clipFrames.peek());
  const both = left && stretchTouch(left, left.length - 1, "last", at + reach, clipFrames.peek());
  if (both) keepTouches(both, `add contact of ${partName(part)}`, both.at(-1));
}

function TouchBar({ touch, index, chosen }: { touch: Touch; index: number; chosen: boolean }) {
  const name = partName(touch.part);
  const does = touch.sliding ? "slides" : "touches";
  const sure = confidenceOf(contactSource.value, touch);
  const pale = sure && paleness(sure);
  const label = `${name} ${does}${sure ? `, ${mean(sure)} % sure` : ""}, frames ${touch.first} to ${touch.last}`;
  const look = `tl-touch ${touch.sliding ? "tl-sliding" : ""} ${contactSource.value?.message.which === "before" ? "tl-of-before" : ""}`;
  const frames = clipFrames.value;
  const long = touch.last - touch.first >= 2;
  return (
    <Bar
      first={touch.first} last={touch.last} testid={`tl-touch-${index}`} label={label} look={look} chosen={chosen}
      tip={(event) => {
        const said = `${name} ${does}: ${describe(touch)}`;
        if (!sure) return said;
        const at = Math.max(0, Math.min(sure.length - 1, Math.round(xToFrame(event.clientX)) - touch.first));
        return `${said}; ${sure[at]} % sure in frame ${touch.first + at}, ${mean(sure)} % on average`;
      }}
      onSelect={() => selectTouch(index)}
      onGrab={(event) => grab(event, index, null)}
      onEdge={(event, side) => grab(event, index, side)}
      onMove={(by) => nudgeTouch(moveTouch(touches.peek(), index, by, frames), index, `move contact of ${name}`)}
      onStretch={(side, by) => nudgeTouch(
        stretchTouch(touches.peek(), index, side, touch[side] + by, frames), index, `stretch contact of ${name}`)}
      onRemove={() => removeAt(index)}
      onSplit={(event) => {
        if (event) return splitAt(index, xToFrame(event.clientX));
        selectTouch(index);
        splitSelected();
      }}
      onBlur={flushTouches}
      onMenu={(event) => {
        selectTouch(index);
        const at = event.clientX ? xToFrame(event.clientX) : frame.peek();
        openMenu(event, [
          { text: touch.sliding ? "Let it stand" : "Let it slide", testid: "tl-menu-slide", act: () => toggleAt(index) },
          { text: "Split here", off: !long, testid: "tl-menu-split", act: () => splitAt(index, at) },
          { text: "Split at the cursor", key: "S", off: !long, act: () => void splitSelected() },
          ...(doubts.value.length ? [{ text: "Next contact in doubt", key: "D", act: () => goToDoubt(1) }] : []),
          { text: "Remove", key: "Del", testid: "tl-menu-remove", act: () => removeAt(index) },
        ]);
      }}
    >
      {pale && <span class="tl-pale" style={{ backgroundImage: pale }} />}
    </Bar>
  );
}

/** How many contacts are in doubt, and the way to the next of them; the one that was gone to is said. */
function Doubts() {
  const count = doubts.value.length;
  if (!count) return null;
  return (
    <>
      <button type="button" class="tl-quiet tl-doubts" data-testid="tl-doubts" title="Go to the next contact in doubt: less than 80 % sure (D, back: Shift D)"
        aria-label={`${count} in doubt: go to the next`} onClick={(event) => goToDoubt(event.shiftKey ? -1 : 1)}>
        {count} in doubt
      </button>
      <span class="tl-hint" role="status" data-testid="tl-doubt-said">{visitedInWords.value}</span>
    </>
  );
}

/** Frames in which something that is not known carries the body. */
function UnknownLane() {
  if (!unknown.value.length) return null;
  return (
    <Lane testid="tl-lane-unknown" about="frames in which something that is not known carries the body" label={<span class="tl-name">something unknown</span>}>
      {unknown.value.map((each) => (
        <div
          key={each.first} class="tl-unknown" role="img" aria-label={unknownInWords(each)} style={across(each.first, each.last)}
          onPointerMove={(event) => event.buttons === 0 && showTip(event, `${unknownInWords(each)}: give the surface it stands, sits or hangs on`)} onPointerLeave={hideTip}
        />
      ))}
    </Lane>
  );
}

/** A bar that gets another number when all are put in order keeps the focus. */
function useFocusFollows(chosen: number): void {
  useEffect(() => {
    const focused = document.activeElement as HTMLElement | null;
    const wanted = `tl-touch-${chosen}`;
    if (chosen < 0 || !focused?.classList.contains("tl-touch") || focused.dataset.testid === wanted) return;
    document.querySelector<HTMLElement>(`[data-testid="${wanted}"]`)?.focus({ preventScroll: true });
  }, [chosen]);
}

export function ContactLanes() {
  const { shown, hidden } = lanes.value;
  const chosen = selection.value?.kind === "touch" ? selection.value.index : -1;
  useFocusFollows(chosen);
  const own = touches.value[chosen];
  if (parts.value.length === 0) return null;
  return (
    <section aria-label="Contacts">
      <Heading text="Contacts" open={open.value} testid="tl-fold-contacts" onToggle={() => (open.value = !open.value)}>
        {hidden > 0 && open.value && (
          <button type="button" class="tl-quiet" aria-pressed={all.value} data-testid="tl-more-parts"
            aria-label="show parts that never touch, too" onClick={() => (all.value = !all.value)}>
            {all.value ? "fewer parts" : `${hidden} more`}
          </button>
        )}
        {own && (
          <span class="tl-actions">
            <button type="button" class="tl-quiet" data-testid="tl-split" onClick={() => void splitSelected()}>Split at cursor</button>
            <button type="button" class="tl-quiet" aria-pressed={!!own.sliding} data-testid="tl-slide" onClick={() => toggleAt(chosen)}>Slides</button>
            <button type="button" class="tl-quiet" data-testid="tl-remove" onClick={() => removeAt(chosen)}>Remove</button>
          </span>
        )}
        {open.value && <Doubts />}
        {!own && !visitedInWords.value && open.value && <span class="tl-hint">Alt+drag in a lane adds a contact</span>}
      </Heading>
      {open.value && shown.map((part) => (
        <Lane
          key={part} testid={`tl-lane-${part}`} about={`contacts of ${partName(part)}`}
          onDown={(event) => draw(event, part)}
          label={<>
            <span class="tl-name">{partName(part)}</span>
            <button type="button" class="tl-add" title="Add a contact at the cursor" data-testid={`tl-add-${part}`}
              aria-label={`add a contact of ${partName(part)} at the cursor`} onClick={() => addHere(part)}>+</button>
          </>}
        >
          {contactSource.value?.message.which === "after" && ghosts.value.map((each) => each.part === part && (
            <div key={`${each.first}-${each.last}`} class="tl-ghost" style={across(each.first, each.last)} />
          ))}
          {touches.value.map((each, i) => each.part === part && (
            <TouchBar key={i} touch={each} index={i} chosen={i === chosen} />
          ))}
          {doubts.value.map((each) => each.part === part && (
            <div
              key={each.first} class="tl-doubt" role="img" aria-label={doubtInWords(each)} style={across(each.first, each.last)}
              onPointerMove={(event) => event.buttons === 0 && showTip(event, doubtInWords(each))} onPointerLeave={hideTip}
            />
          ))}
        </Lane>
      ))}
      {open.value && <UnknownLane />}
    </section>
  );
}
