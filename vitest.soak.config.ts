/**
 * What takes long: files named `.soak.test.ts`, those that read their sizes from `test/sizes.ts`, and those of properties.
 * A file that only samples a fixed number of values does the same in `pnpm test`, and is not run again.
 */
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
  file.endsWith(".soak.test.ts") ||
  /\/sizes\.js"|FastCheck\.(?:assert|check)\(|\.prop\(/.test(readFileSync(file, "utf8"))

export default defineConfig({
  test: {
    ...quick.test,
    exclude: ["**/node_modules/**"],
    // As there, for what takes minutes where nothing else runs.
    testTimeout: 900_000,
    // They wait longer than those of `pnpm test`, for processes, browsers and installs.
    maxWorkers: 4,
    minWorkers: 4,
    include: [...testsIn("packages"), ...testsIn("test")].filter(takesLong),
    env: { ...quick.test?.env, WIELD_SOAK: "1" }
  }
})
