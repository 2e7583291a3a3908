// Light, dark, or as the system has it. Imported before anything that reads colours.

import { effect } from "@preact/signals";
import { theme } from "../store";

const dark = matchMedia("(prefers-color-scheme: dark)");

export function resolvedTheme(): "light" | "dark" {
  return theme.value === "system" ? (dark.matches ? "dark" : "light") : theme.value;
}

export function nextTheme(): void {
  theme.value = theme.value === "system" ? "light" : theme.value === "light" ? "dark" : "system";
}

effect(() => {
  if (theme.value === "system") localStorage.removeItem("poise-theme");
  else localStorage.setItem("poise-theme", theme.value);
  document.documentElement.dataset.theme = resolvedTheme();
});

dark.addEventListener("change", () => (document.documentElement.dataset.theme = resolvedTheme()));
