import { defineConfig } from "vitest/config"

export default defineConfig({
  // The packages are linked, and TypeScript.
  test: { include: ["*.test.ts"], server: { deps: { inline: [/@wield/] } }, testTimeout: 300_000 }
})
