/** The guarantees of the runner in a program of plain JavaScript, which no types keep from a mistake, in two processes. */
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { bundleOf } from "../../../test/programs.js"

it("a program of plain JavaScript has each guarantee, also in two processes at once", async () => {
  const folder = mkdtempSync(join(tmpdir(), "wield-plain-"))
  try {
    const program = await Effect.runPromise(bundleOf(new URL("plain.mjs", import.meta.url)))
    const run = (...given: ReadonlyArray<string>) => promisify(execFile)(process.execPath, [program, folder, ...given])
    const approve = async () => {
      const { stdout } = await run()
      // What a program logs comes before it.
      return JSON.parse(stdout.trim().split("\n").at(-1) ?? "")
    }
    await run("ask")
    for (const ended of await Promise.all([approve(), approve()])) {
      expect(ended.misspelt).toContain("pay")
      expect(ended.tags).toEqual(["InvalidArguments", "InvalidArguments", "Defect", "UnknownTool"])
      expect(ended.texts).not.toContain("hunter2")
      expect(ended.paid).toEqual([true, true, true])
      expect(ended.denied).toContain("AlreadyAnswered")
      const { forged, misspelt, ...agents } = ended.agents
      expect(agents).toEqual({ steps: [1, 2], requests: ["pay"], stopped: "Stopped", clerk: true, steered: false })
      expect(forged).toContain("TamperedRequest")
      expect(ended.sources).toEqual([
        expect.stringContaining("not allowed"),
        expect.stringContaining("greet"),
        expect.stringContaining("a")
      ])
      expect(misspelt).toContain("no option `prepareStep`: it is `prepare` here")
    }
    expect(readFileSync(join(folder, "paid"), "utf8")).toBe("450\n")
  } finally {
    rmSync(folder, { recursive: true })
  }
})
