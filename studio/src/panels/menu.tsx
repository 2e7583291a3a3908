// A button that unfolds a list of actions: arrows move, Escape and a click elsewhere close.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icons";

export interface MenuItem {
  label: string;
  about?: string;
  icon?: IconName;
  testid?: string;
  disabled?: boolean;
  act(): void;
}
/** A line of text is a heading. */
export type MenuEntry = MenuItem | string;

interface MenuProps {
  label: string;
  children: ComponentChildren;
  entries: MenuEntry[];
  testid: string;
  tip?: string;
  disabled?: boolean;
  /** Of the button. */
  look?: string;
  /** Which edge of the button the list keeps to. */
  side?: "left" | "right";
}

export function Menu({ label, children, entries, testid, tip, disabled, look = "", side = "left" }: MenuProps) {
  const [open, setOpen] = useState(false);
  const [style, setStyle] = useState<Record<string, string>>({});
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    if (!open) return;
    box.current?.querySelector<HTMLElement>("[role=menuitem]:not(:disabled)")?.focus();
    const elsewhere = (event: PointerEvent): void => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    const moved = (event: Event): void => {
      if (!(event.target instanceof Node && box.current?.contains(event.target))) setOpen(false);
    };
    addEventListener("pointerdown", elsewhere, true);
    addEventListener("scroll", moved, true);
    addEventListener("resize", moved);
    return () => {
      removeEventListener("pointerdown", elsewhere, true);
      removeEventListener("scroll", moved, true);
      removeEventListener("resize", moved);
    };
  }, [open]);

  /** Fixed on the page: panels would cut it off. Where there is more room, above or below. */
  function toggle(): void {
    const at = button.current!.getBoundingClientRect();
    const below = innerHeight - at.bottom;
    const across: Record<string, string> = side === "left" ? { left: `${at.left}px` } : { right: `${innerWidth - at.right}px` };
    const along: Record<string, string> = below > 320 || below > at.top
      ? { top: `${at.bottom + 4}px`, maxHeight: `${below - 12}px` }
      : { bottom: `${innerHeight - at.top + 4}px`, maxHeight: `${at.top - 12}px` };
    setStyle({ ...across, ...along });
    setOpen(!open);
  }

  function keys(event: KeyboardEvent): void {
    if (!open) return;
    const items = [...(box.current?.querySelectorAll<HTMLElement>("[role=menuitem]:not(:disabled)") ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to !== undefined) items[(to + items.length) % items.length]?.focus();
    else if (event.key === "Escape") close();
    else if (event.key === "Tab") return setOpen(false);
    else if (event.key.length === 1 && event.key !== " ") {
      items.find((each, i) => i > at && each.textContent?.trim().toLowerCase().startsWith(event.key.toLowerCase()))?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function close(): void {
    setOpen(false);
    button.current?.focus();
  }

  return (
    <div class="pn-menu" ref={box} onKeyDown={keys}>
      <button type="button" ref={button} class={look} aria-haspopup="menu" aria-expanded={open} aria-label={label} disabled={disabled}
        data-testid={testid} data-tip={open ? undefined : tip} onClick={toggle}>
        {children}
      </button>
      {open && (
        <div class="pn-menu-list" role="menu" aria-label={label} style={style}>
          {entries.map((entry, i) =>
            typeof entry === "string" ? (
              <div key={i} class="pn-menu-heading" role="presentation">{entry}</div>
            ) : (
              <button key={i} type="button" role="menuitem" tabIndex={-1} class="quiet pn-menu-item" data-testid={entry.testid} disabled={entry.disabled}
                onClick={() => {
                  close();
                  entry.act();
                }}>
                {entry.icon && <Icon name={entry.icon} />}
                <span class="pn-menu-words">
                  <span>{entry.label}</span>
                  {entry.about && <span class="pn-menu-about">{entry.about}</span>}
                </span>
              </button>
            ))}
        </div>
      )}
    </div>
  );
}
