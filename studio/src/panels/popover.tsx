// A button that unfolds something to read; Escape and a click elsewhere close it.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface PopoverProps { label: string; look?: string; testid: string; tip?: string; button: ComponentChildren; children: ComponentChildren }

export function Popover({ label, look = "", testid, tip, button, children }: PopoverProps) {
  const [left, setLeft] = useState<number | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const open = left !== null;
  useEffect(() => {
    if (!open) return;
    const elsewhere = (event: PointerEvent): void => {
      if (!box.current?.contains(event.target as Node)) setLeft(null);
    };
    addEventListener("pointerdown", elsewhere, true);
    return () => removeEventListener("pointerdown", elsewhere, true);
  }, [open]);
  return (
    <div class="pn-menu" ref={box} onKeyDown={(event) => {
      if (event.key !== "Escape" || !open) return;
      event.stopPropagation();
      setLeft(null);
    }}>
      <button type="button" class={look} aria-label={label} aria-expanded={open} data-testid={testid} data-tip={open ? undefined : tip}
        onClick={(event) => setLeft(open ? null : event.currentTarget.getBoundingClientRect().left)}>
        {button}
      </button>
      {open && <div class="pn-popover" role="region" aria-label={label} style={{ left: `${Math.min(left, innerWidth - 380)}px` }}>{children}</div>}
    </div>
  );
}
