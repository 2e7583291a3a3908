// Dragging with a pointer: from the press to the release, with Escape to give up.

const MOVES_PX = 3;

export interface Dragging {
  /** Only called once the pointer has gone a little way. */
  move(event: PointerEvent): void;
  /** `moved` is false for a plain click. */
  end?(moved: boolean, event: PointerEvent): void;
  cancel?(): void;
  /** Call `move` from the press on. */
  atOnce?: boolean;
}

/** How many drags are under way; a second finger ends them. */
const running = new Set<() => void>();

export function cancelDrags(): void {
  for (const each of [...running]) each();
}

export function startDrag(down: PointerEvent, handlers: Dragging): void {
  let moved = !!handlers.atOnce;
  const finish = (): void => {
    window.removeEventListener("pointermove", move);
    window.removeEventListener("pointerup", up);
    window.removeEventListener("pointercancel", cancel);
    window.removeEventListener("keydown", key, true);
    running.delete(cancel);
  };
  const move = (event: PointerEvent): void => {
    if (event.pointerId !== down.pointerId) return;
    if (Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) >= MOVES_PX) moved = true;
    if (moved) handlers.move(event);
  };
  const up = (event: PointerEvent): void => {
    if (event.pointerId !== down.pointerId) return;
    finish();
    handlers.end?.(moved, event);
  };
  const cancel = (): void => {
    finish();
    handlers.cancel?.();
  };
  const key = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    event.preventDefault();
    cancel();
  };
  try {
    (down.currentTarget as Element | null)?.setPointerCapture(down.pointerId);
  } catch {
    // A pointer made by a test cannot be captured; the listeners below do without.
  }
  window.addEventListener("pointermove", move);
  window.addEventListener("pointerup", up);
  window.addEventListener("pointercancel", cancel);
  window.addEventListener("keydown", key, true);
  running.add(cancel);
  if (handlers.atOnce) handlers.move(down);
}
