// Small pictures drawn with lines, in the colour of the text around them.

const PATHS = {
  undo: "M6 4 2.5 7.5 6 11M2.5 7.5H10a3.5 3.5 0 0 1 0 7H7",
  redo: "M10 4l3.5 3.5L10 11M13.5 7.5H6a3.5 3.5 0 0 0 0 7h3",
  plus: "M8 3v10M3 8h10",
  close: "M4 4l8 8M12 4l-8 8",
  play: "M5 3.5v9l7.5-4.5z",
  stop: "M4.5 4.5h7v7h-7z",
  up: "M3.5 10 8 5.5 12.5 10",
  down: "M3.5 6 8 10.5 12.5 6",
  left: "M10 3.5 5.5 8l4.5 4.5",
  right: "M6 3.5 10.5 8 6 12.5",
  grip: "M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01",
  reset: "M3 3.5V7h3.5M3.3 7A5 5 0 1 1 3 9.5",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  trash: "M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9M6.8 7v4M9.2 7v4",
  export: "M8 10V2.5M5 5.5l3-3 3 3M3 9.5v4h10v-4",
  save: "M3 2.5h8l2.5 2.5v8.5h-11v-11zM5 2.5v4h5v-4M5 13.5V9.5h6v4",
  sun: "M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6M8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3 3l1.2 1.2M11.8 11.8 13 13M13 3l-1.2 1.2M4.2 11.8 3 13",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z",
  auto: "M8 2.5a5.5 5.5 0 1 1 0 11zM8 2.5a5.5 5.5 0 0 0 0 11",
  help: "M6 6a2 2 0 1 1 3 1.8c-.7.4-1 .8-1 1.7M8 12h.01",
  folder: "M2 4.5h4.5L8 6h6v6.5H2z",
  file: "M4 2h5.5L12 4.5V14H4zM9 2v3h3",
  body: "M8 3.2a1.3 1.3 0 1 1 0-.01M8 5v4.5M4 6.2 8 5.5l4 .7M5.5 14 8 9.5l2.5 4.5",
  place: "M1.5 12.5 6 6l3 4 2-2.5 3.5 5z",
  recipe: "M4 2h8v12H4zM6 5h4M6 8h4M6 11h2",
  clock: "M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11M8 5v3.2l2 1.3",
  upload: "M8 11V3.5M5 6.5l3-3 3 3M2.5 12.5h11",
  check: "M3 8.5 6.5 12 13 4.5",
  cross: "M4 4l8 8M12 4l-8 8",
  ring: "M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6",
  warning: "M8 2.5 14.5 13.5h-13zM8 6.5v3.2M8 11.7h.01",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9M10.3 10.3 14 14",
  chevrons: "M5 6.5 8 3.5l3 3M5 9.5l3 3 3-3",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg class="pn-icon" width={size} height={size} viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.6"
      stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
