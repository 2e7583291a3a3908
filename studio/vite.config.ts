import { defineConfig } from "vite";

// The bundle ships inside the Python package and asks nobody else for anything.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../src/poise/apps/studio/web",
    emptyOutDir: true,
    target: "es2022",
    chunkSizeWarningLimit: 1500,
    assetsInlineLimit: 0,
    // What is bundled is passed on with its terms.
    license: { fileName: "licenses.md" },
  },
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
});
