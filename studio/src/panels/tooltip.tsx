// One tooltip for the whole page: whatever has `data-tip` explains itself when pointed at or focused.

import { useEffect, useState } from "preact/hooks";

interface Tip { text: string; x: number; y: number; above: boolean }

const WAIT_MS = 350;
const WIDEST_PX = 280;

export function Tooltip() {
  const [tip, setTip] = useState<Tip | null>(null);
  useEffect(() => {
    let timer = 0;
    let over: Element | null = null;
    const hide = (): void => {
      clearTimeout(timer);
      over = null;
      setTip(null);
    };
    const show = (event: Event): void => {
      const found = (event.target as Element | null)?.closest?.("[data-tip]") ?? null;
      if (found === over) return;
      hide();
      const text = found?.getAttribute("data-tip");
      if (!found || !text) return;
      // A click gives focus too; only keyboards want to hear about it.
      if (event.type === "focusin" && !found.matches(":focus-visible")) return;
      over = found;
      timer = window.setTimeout(() => {
        const box = found.getBoundingClientRect();
        const above = box.bottom + 120 > innerHeight;
        const x = Math.min(Math.max(8, box.left), innerWidth - WIDEST_PX - 8);
        setTip({ text, x, y: above ? box.top - 6 : box.bottom + 6, above });
      }, WAIT_MS);
    };
    const options = { capture: true, passive: true };
    const hiding = ["pointerdown", "wheel", "focusout", "keydown"];
    document.addEventListener("pointerover", show, options);
    document.addEventListener("focusin", show, options);
    for (const each of hiding) document.addEventListener(each, hide, options);
    return () => {
      document.removeEventListener("pointerover", show, options);
      document.removeEventListener("focusin", show, options);
      for (const each of hiding) document.removeEventListener(each, hide, options);
      clearTimeout(timer);
    };
  }, []);
  if (!tip) return null;
  const style = { left: `${tip.x}px`, top: `${tip.y}px`, maxWidth: `${WIDEST_PX}px` };
  return <div class={`pn-tip ${tip.above ? "pn-tip-above" : ""}`} role="tooltip" style={style}>{tip.text}</div>;
}
