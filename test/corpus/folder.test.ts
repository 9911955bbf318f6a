import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { bundleOf } from "../programs.js"
import * as agent from "./agent.js"
import * as bfcl from "./bfcl.js"
import * as manifest from "./manifest.js"
import * as mcp from "./mcp.js"
import * as schema from "./schema.js"
import * as tau2 from "./tau2.js"
import * as wire from "./wire.js"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "wield-corpus-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

describe("a folder that holds a part of the material", () => {
  for (const [name, suite] of Object.entries({ agent, bfcl, manifest, mcp, schema, tau2, wire })) {
    it.scoped(`has nothing to check for the suite ${name} where its part is empty`, () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        mkdirSync(join(folder, suite.part), { recursive: true })
        const { failures, passed } = yield* Effect.promise(async () => suite.run(folder, {}))
        expect({ failures, passed }).toEqual({ failures: [], passed: 0 })
      })
    )
  }

  it.scoped("names the files that cannot be read, and goes on with the others", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const tests = join(folder, "json-schema", "tests", "draft2019-09")
      mkdirSync(join(tests, "folder.json"), { recursive: true })
      const group = {
        description: "a",
        schema: { type: "string" },
        tests: [{ description: "b", data: "", valid: true }]
      }
      const texts = { "good.json": JSON.stringify([group]), "cut.json": "[", "other.json": "[null]" }
      for (const [name, text] of Object.entries(texts)) writeFileSync(join(tests, name), text)
      const { failures, passed } = yield* Effect.promise(() => schema.run(folder))
      expect(passed).toBe(1)
      expect(failures.map((failure) => failure.slice(tests.length + 1).split(":")[0])).toEqual([
        "cut.json",
        "folder.json",
        "other.json"
      ])
    })
  )

  it.scopedLive("is named on the command line, and all failures are written to a file", () =>
    Effect.gen(function* () {
      const program = yield* bundleOf(fileURLToPath(new URL("main.ts", import.meta.url)))
      const folder = yield* temporaryFolder
      mkdirSync(join(folder, "acorn", "tools"), { recursive: true })
      const count = 12
      for (let index = 0; index < count; index++) {
        writeFileSync(join(folder, "acorn", "tools", `a${index}.tools.json`), `{ "tools": ${index} }`)
      }
      const run = () =>
        execFileSync(process.execPath, [program, "manifest", "--folder", folder], { cwd: folder, stdio: "pipe" })
      expect(run).toThrow("Command failed")
      const failures = readFileSync(join(folder, ".corpus", "manifest-failures.txt"), "utf8")
      for (let index = 0; index < count; index++) expect(failures).toContain(`a${index}.tools.json`)
    })
  )
})
