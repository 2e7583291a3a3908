import { defineConfig } from "vite";

// The bundles ship inside the Python package and ask nobody else for anything: the studio's page, and
// (`--mode pages`) one script and one style sheet that draw the pages which reports are.
export default defineConfig(({ mode }) => ({
  base: "./",
  build: {
    outDir: mode === "pages" ? "../src/poise/apps/report/web" : "../src/poise/apps/studio/web",
    emptyOutDir: true,
    target: "es2022",
    chunkSizeWarningLimit: 1500,
    assetsInlineLimit: 0,
    // What is bundled is passed on with its terms.
    license: { fileName: "licenses.md" },
    ...(mode === "pages" && { lib: { entry: "src/pages/main.tsx", formats: ["iife"], name: "poise_pages", fileName: () => "pages.js", cssFileName: "pages" } }),
  },
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
}));
