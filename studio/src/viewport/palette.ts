// Colours of the theme for the scene, read from the page's CSS variables.

import { Color } from "three";

const NAMES = [
  "bg", "panel", "panel-2", "line", "text", "text-2", "accent", "before", "after", "good", "fair",
  "poor", "live", "goal",
] as const;
export type ColourName = (typeof NAMES)[number];

/** Where the page's style says nothing (a bare test page). */
const FALLBACK: Record<ColourName, string> = {
  bg: "#16181d", panel: "#1e2127", "panel-2": "#262a31", line: "#3a3f49", text: "#e8eaee",
  "text-2": "#a3a9b5", accent: "#5b9dff", before: "#e0a030", after: "#4f8ff0", good: "#3fb56b",
  fair: "#d8a53a", poor: "#e2574c", live: "#37b3c8", goal: "#c26be0",
};

export class Palette {
  readonly colours = Object.fromEntries(NAMES.map((name) => [name, new Color(FALLBACK[name])])) as
    Record<ColourName, Color>;
  dark = true;
  /** Counts up with every change. */
  version = 0;
  private readonly probe = document.createElement("span");
  private readonly pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  private readonly observer = new MutationObserver(() => this.read());
  private readonly media = matchMedia("(prefers-color-scheme: dark)");

  constructor(host: HTMLElement, private readonly changed: () => void) {
    this.probe.style.display = "none";
    host.append(this.probe);
    for (const node of [document.documentElement, document.body])
      this.observer.observe(node, { attributes: true, attributeFilter: ["class", "style", "data-theme"] });
    this.media.addEventListener("change", this.read);
    this.read();
  }

  readonly read = (): void => {
    for (const name of NAMES) this.colours[name].set(this.resolved(name));
    const { bg } = this.colours;
    // By eye, not by physics: halfway in bytes, not in light.
    const seen = bg.clone().convertLinearToSRGB();
    this.dark = 0.3 * seen.r + 0.6 * seen.g + 0.1 * seen.b < 0.5;
    this.version += 1;
    this.changed();
  };

  /** Any way to write a colour becomes #rrggbb: three reads only some of them. */
  private resolved(name: ColourName): string {
    this.probe.style.color = "";
    this.probe.style.color = `var(--${name}, ${FALLBACK[name]})`;
    const { pixel } = this;
    if (!pixel) return FALLBACK[name];
    pixel.clearRect(0, 0, 1, 1);
    pixel.fillStyle = getComputedStyle(this.probe).color;
    pixel.fillRect(0, 0, 1, 1);
    const [r = 0, g = 0, b = 0] = pixel.getImageData(0, 0, 1, 1).data;
    return `#${((1 << 24) | (r << 16) | (g << 8) | b).toString(16).slice(1)}`;
  }

  dispose(): void {
    this.observer.disconnect();
    this.media.removeEventListener("change", this.read);
    this.probe.remove();
  }
}
