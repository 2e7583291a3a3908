// A context menu: arrow keys, Enter, Escape; gives the focus back where it was.

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

export interface Choice { text: string; key?: string; testid?: string; off?: boolean; act(): void }

interface Open { x: number; y: number; choices: Choice[]; back: HTMLElement | null }

const menu = signal<Open | null>(null);

export function openMenu(event: MouseEvent, choices: Choice[]): void {
  event.preventDefault();
  event.stopPropagation();
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
  // A menu asked for with the keyboard has no place of its own.
  const [x, y] = event.clientX || event.clientY ? [event.clientX, event.clientY] : [box.left + 8, box.top];
  menu.value = { x, y, choices, back: document.activeElement as HTMLElement | null };
}

function close(): void {
  const back = menu.peek()?.back;
  menu.value = null;
  back?.focus({ preventScroll: true });
}

export function Menu() {
  const now = menu.value;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!now) return;
    list.current?.querySelector<HTMLElement>("button:not(:disabled)")?.focus();
    const outside = (event: Event) => {
      if (!list.current?.contains(event.target as Node)) menu.value = null;
    };
    window.addEventListener("pointerdown", outside, true);
    window.addEventListener("blur", close);
    return () => {
      window.removeEventListener("pointerdown", outside, true);
      window.removeEventListener("blur", close);
    };
  }, [now]);
  if (!now) return null;

  const onKey = (event: KeyboardEvent): void => {
    event.stopPropagation();
    const buttons = [...list.current!.querySelectorAll<HTMLElement>("button:not(:disabled)")];
    const here = buttons.indexOf(document.activeElement as HTMLElement);
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) buttons[(here + by + buttons.length) % buttons.length]?.focus();
    else if (event.key === "Escape" || event.key === "Tab") close();
    else return;
    event.preventDefault();
  };
  const height = 28 * now.choices.length + 10;
  return (
    <div
      ref={list} class="tl-menu" role="menu" data-testid="tl-menu" onKeyDown={onKey}
      style={{
        left: `${Math.min(now.x, window.innerWidth - 230)}px`,
        top: `${Math.max(4, Math.min(now.y, window.innerHeight - height - 4))}px`,
      }}
    >
      {now.choices.map((each) => (
        <button
          key={each.text} type="button" role="menuitem" disabled={each.off} data-testid={each.testid}
          onClick={() => {
            close();
            each.act();
          }}
        >
          <span>{each.text}</span>
          {each.key && <kbd>{each.key}</kbd>}
        </button>
      ))}
    </div>
  );
}
