/** The longer form of the tests that have one: those that read their sizes from `test/sizes.ts`, and those of properties. */
import { readdirSync, readFileSync } from "node:fs"
import { defineConfig } from "vitest/config"
import quick from "./vitest.config.js"

const { projects: _, ...shared } = quick.test ?? {}

const testsIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : testsIn(path)
    return path.endsWith(".test.ts") ? [path] : []
  })

const hasSizes = (file: string): boolean => /\/sizes\.js"|fastcheck|\.prop\(/i.test(readFileSync(file, "utf8"))

export default defineConfig({
  test: {
    ...shared,
    include: [...testsIn("packages"), ...testsIn("test")].filter(hasSizes),
    env: { WIELD_SOAK: "1" }
  }
})
