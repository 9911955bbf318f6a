/** What takes long: files named `.soak.test.ts`, those that read their sizes from `test/sizes.ts`, and those of properties. */
import { readdirSync, readFileSync } from "node:fs"
import { defineConfig } from "vitest/config"
import quick from "./vitest.config.js"

const testsIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : testsIn(path)
    return path.endsWith(".test.ts") ? [path] : []
  })

const takesLong = (file: string): boolean =>
  file.endsWith(".soak.test.ts") || /\/sizes\.js"|fastcheck|\.prop\(/i.test(readFileSync(file, "utf8"))

export default defineConfig({
  test: {
    ...quick.test,
    exclude: ["**/node_modules/**"],
    include: [...testsIn("packages"), ...testsIn("test")].filter(takesLong),
    env: { ...quick.test?.env, WIELD_SOAK: "1" }
  }
})
