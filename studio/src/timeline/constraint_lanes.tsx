// When constraints hold: a lane for every constraint of the open step, with easing and places to pass.

import { signal } from "@preact/signals";
import { methodOf, stepCount } from "../recipe";
import { openStep, rate, recipe, selection } from "../store";
import { Bar, barKey, leftOf, type Side } from "./bar";
import { Heading, Lane } from "./lane";
import { openMenu, type Choice } from "./menu";
import { startDrag } from "./pointer";
import { goTo } from "./playback";
import { snapEdge, snapMove, snapTargets } from "./snapping";
import { hideTip, showTip } from "./tip";
import { eased, movedBy, passedAt, pointWord, stretched, type Timing } from "./timing";
import { clipFrames, fitFrames, xToFrame } from "./view";
import {
  changeTime, flushNudge, nudgeTime, removeWishAt, selectWish, TimeDrag, timedWishes, type TimedWish,
} from "./wish_state";
import { framesAndSeconds, partName } from "./words";

const open = signal(true);

/** What is dragged of a constraint. */
type Grip = "body" | Side | "easeIn" | "easeOut" | number;

function describe({ wish }: TimedWish, timing: Timing, grip: Grip = "body"): string {
  if (typeof grip === "number") {
    const at = timing.through[grip];
    return at ? `${pointWord(wish)}, ${framesAndSeconds(at.frame, at.until ?? at.frame, rate.peek())}` : "";
  }
  const easing = timing.easeIn || timing.easeOut
    ? `, eases in over ${timing.easeIn} and out over ${timing.easeOut} frames` : "";
  return framesAndSeconds(timing.first, timing.last, rate.peek()) + easing;
}

function grab(down: PointerEvent, own: TimedWish, grip: Grip): void {
  flushNudge();
  const drag = new TimeDrag(own);
  const start = drag.start;
  const from = xToFrame(down.clientX);
  const targets = snapTargets({ wish: own.wish.index });
  const count = clipFrames.peek();
  const changed = (at: number, free: boolean): Timing => {
    if (grip === "body") return movedBy(start, snapMove(start.first, start.last, at - from, targets, free), count);
    if (grip === "first" || grip === "last") return stretched(start, grip, snapEdge(at, targets[grip], free), count);
    if (grip === "easeIn") {
      const end = snapEdge(start.first + start.easeIn + at - from, targets.first, free);
      return eased(start, grip, end - start.first);
    }
    if (grip === "easeOut") {
      const begin = snapEdge(start.last - start.easeOut + at - from, targets.last, free);
      return eased(start, grip, start.last - begin);
    }
    const passed = start.through[grip]!.frame;
    return passedAt(start, grip, snapEdge(passed + at - from, targets.first, free));
  };
  const done = grip === "body" ? "move" : typeof grip === "number" ? "retime" : grip.startsWith("ease") ? "ease" : "stretch";
  startDrag(down, {
    move: (event) => {
      const now = changed(xToFrame(event.clientX), event.shiftKey);
      drag.show(now);
      showTip(event, describe(own, now, grip));
    },
    end: (moved) => {
      hideTip();
      if (moved) drag.keep(`${done} ${own.name}`);
      // A point that is clicked is looked at.
      else if (typeof grip === "number") goTo(start.through[grip]!.frame);
      else if (start.kind === "moment") goTo(start.first);
    },
    cancel: () => {
      hideTip();
      drag.giveUp();
    },
  });
}

function menuOf(own: TimedWish, point?: number): Choice[] {
  const { timing, name } = own;
  const count = clipFrames.peek();
  const interval = timing.kind === "interval";
  return [
    { text: "Hold over the whole clip", off: !interval || timing.all,
      act: () => changeTime(own, { ...timing, all: true, first: 0, last: count - 1 }, `hold ${name} over the whole clip`) },
    { text: "No easing", off: !interval || !(timing.easeIn || timing.easeOut),
      act: () => changeTime(own, { ...timing, easeIn: 0, easeOut: 0 }, `no easing of ${name}`) },
    { text: "Zoom to it", act: () => fitFrames(timing.first, timing.last) },
    ...(point !== undefined && timing.through.length > 1
      ? [{ text: "Remove this point", key: "Del", act: () => removeWishAt(own.wish.index, point) },
        { text: "Remove the constraint", testid: "tl-menu-remove", act: () => removeWishAt(own.wish.index) }]
      : [{ text: "Remove", key: "Del", testid: "tl-menu-remove", act: () => removeWishAt(own.wish.index) }]),
  ];
}

/** Slopes where a constraint comes and goes, in percent of the bar. */
function slopes({ first, last, easeIn, easeOut }: Timing): { rise: number; fall: number } {
  const length = last - first + 1;
  const part = (frames: number) => (frames > 0 ? (100 * (frames + 0.5)) / length : 0);
  return { rise: part(easeIn), fall: 100 - part(easeOut) };
}

function Ease({ own }: { own: TimedWish }) {
  const { rise, fall } = slopes(own.timing);
  const knob = (side: "easeIn" | "easeOut", word: string, left: string) => (
    <span
      class="tl-knob" data-testid={`tl-wish-${own.wish.index}-${word}`} style={{ left }}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.stopPropagation();
        selectWish(own.wish.index);
        grab(event, own, side);
      }}
    />
  );
  return (
    <>
      <span class="tl-fill" style={{ clipPath: `polygon(0 100%, ${rise}% 0, ${fall}% 0, 100% 100%)` }} />
      <span class="tl-bar-text">{own.name}</span>
      {knob("easeIn", "ease-in", `max(${rise}%, 10px)`)}
      {knob("easeOut", "ease-out", `min(${fall}%, 100% - 10px)`)}
    </>
  );
}

/** A place to pass, or the one frame of a hit. */
function Diamond(
  { own, point, at, until, chosen }:
  { own: TimedWish; point: number | null; at: number; until: number | null; chosen: boolean },
) {
  const index = own.wish.index;
  const testid = point === null ? `tl-wish-${index}` : `tl-wish-${index}-point-${point}`;
  const does = point === null ? "is at its place" : pointWord(own.wish);
  const label = `${own.name} ${does}, frame ${at}${until === null ? "" : ` to ${until}`}`;
  const grip: Grip = point === null ? "body" : point;
  const count = clipFrames.value;
  const keys = {
    onSelect: () => {
      selectWish(index, point ?? undefined);
      goTo(at);
    },
    onMove: (by: number) => nudgeTime(
      own, point === null ? movedBy(own.timing, by, count) : passedAt(own.timing, point, at + by), `retime ${own.name}`),
    onRemove: () => removeWishAt(index, point ?? undefined),
  };
  return (
    <>
      {until !== null && <span class="tl-rest" style={{ left: leftOf(at), width: `calc(var(--tl-frame) * ${until - at})` }} />}
      <div
        class={`tl-diamond${chosen ? " tl-chosen" : ""}`} role="button" tabIndex={0} data-grab data-testid={testid}
        aria-label={label} aria-pressed={chosen} style={{ left: leftOf(at) }}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.stopPropagation();
          selectWish(index, point ?? undefined);
          grab(event, own, grip);
        }}
        onPointerMove={(event) => event.buttons === 0 && showTip(event, `${own.name}: ${describe(own, own.timing, grip)}`)}
        onPointerLeave={hideTip}
        onContextMenu={(event) => {
          selectWish(index, point ?? undefined);
          openMenu(event, [{ text: "Go there", act: () => goTo(at) }, ...menuOf(own, point ?? undefined)]);
        }}
        onKeyDown={(event) => barKey(event, keys)}
        onBlur={flushNudge}
      />
    </>
  );
}

function WishBar({ own, chosen }: { own: TimedWish; chosen: boolean }) {
  const { timing, name, wish } = own;
  const count = clipFrames.value;
  const fixed = timing.kind === "stage";
  const label = `${name}, ${wish.kind.replaceAll("_", " ")}, priority ${own.priority}, frames ${timing.first} to ${timing.last}${metWords(own)}`;
  return (
    <Bar
      first={timing.first} last={timing.last} testid={`tl-wish-${wish.index}`} label={label} chosen={chosen}
      look={`tl-wish${timing.all ? " tl-all" : ""}${fixed ? " tl-fixed" : ""}`}
      tip={`${name}: ${fixed ? "about this stage" : describe(own, timing)}${timing.all ? " (all)" : ""}${metWords(own)}`}
      onSelect={() => selectWish(wish.index)}
      onGrab={fixed ? undefined : (event) => grab(event, own, "body")}
      onEdge={fixed ? undefined : (event, side) => grab(event, own, side)}
      onMove={fixed ? undefined : (by) => nudgeTime(own, movedBy(timing, by, count), `move ${name}`)}
      onStretch={fixed ? undefined : (side, by) => nudgeTime(own, stretched(timing, side, timing[side] + by, count), `stretch ${name}`)}
      onRemove={() => removeWishAt(wish.index)}
      onBlur={flushNudge}
      onMenu={(event) => {
        selectWish(wish.index);
        openMenu(event, menuOf(own));
      }}
    >
      {fixed ? <><span class="tl-fill" /><span class="tl-bar-text">{name}</span></> : <Ease own={own} />}
    </Bar>
  );
}

function metWords({ goal }: TimedWish): string {
  if (!goal || goal.met === null) return "";
  return goal.met ? ", met" : `, not met: off by ${goal.worst}`;
}

function MetMark({ own }: { own: TimedWish }) {
  const met = own.goal?.met ?? null;
  if (met === null) return <span class="tl-met" title="not solved yet">·</span>;
  return met
    ? <span class="tl-met tl-is-met" title="met">✓</span>
    : <span class="tl-met tl-not-met" title={`off by ${own.goal?.worst}`}>✕</span>;
}

export function ConstraintLanes() {
  const wishes = timedWishes.value;
  if (!recipe.value || wishes.length === 0) return null;
  const step = openStep.value;
  const chosen = selection.value?.kind === "constraint" && selection.value.step === step ? selection.value : null;
  const title = `Constraints${stepCount(recipe.value) > 1 ? ` ${step + 1}` : ""}: ${methodOf(recipe.value, step)}`;
  return (
    <section aria-label={title}>
      <Heading text={title} open={open.value} testid="tl-fold-wishes" onToggle={() => (open.value = !open.value)} />
      {open.value && wishes.map((own) => {
        const { index } = own.wish;
        const mine = chosen?.index === index;
        return (
          <Lane
            key={index} look={`tl-p${Math.max(1, Math.min(5, own.priority))}${mine ? " tl-row-chosen" : ""}`}
            testid={`tl-wish-lane-${index}`} about={own.name}
            label={
              <button type="button" class="tl-wish-name" title={`${own.name} (${partName(own.wish.kind)}, priority ${own.priority})`}
                onClick={() => selectWish(index)}>
                <span class="tl-priority" aria-label={`priority ${own.priority}`}>{own.priority}</span>
                <span class="tl-name">{own.name}</span>
                <MetMark own={own} />
              </button>
            }
          >
            {own.timing.kind === "moment"
              ? <Diamond own={own} point={null} at={own.timing.first} until={null} chosen={mine} />
              : <WishBar own={own} chosen={mine && chosen?.point === undefined} />}
            {own.timing.through.map((each, i) => (
              <Diamond key={i} own={own} point={i} at={each.frame} until={each.until} chosen={mine && chosen?.point === i} />
            ))}
          </Lane>
        );
      })}
    </section>
  );
}
