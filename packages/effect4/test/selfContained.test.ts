/** `@wield/effect4` as it is published has Effect 3 within, and shows nothing of it. */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { mkdtemp, readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { beforeAll, describe, expect, inject, it } from "vitest"
import { bundle, publicModules } from "../../../scripts/build/bundle.js"
import { publicDeclarations } from "../../../scripts/build/copy-declarations.js"
import { runCommand } from "../../../scripts/run-command.js"

const folder = fileURLToPath(new URL("..", import.meta.url))
const effect4 = join(folder, "node_modules", "effect")
let home: string

beforeAll(async () => {
  home = await mkdtemp(join(inject("temporary"), "effect4-"))
  const published = join(home, "node_modules", "@wield", "effect4")
  mkdirSync(published, { recursive: true })
  cpSync(join(folder, "package.json"), join(published, "package.json"))
  await bundle(folder, join(published, "dist"))
  symlinkSync(effect4, join(home, "node_modules", "effect"), "junction")
})

const dist = (): string => join(home, "node_modules", "@wield", "effect4", "dist")

describe("@wield/effect4 as it is published", () => {
  it("imports nothing but the application's Effect 4 and what Node has, and carries the licences of what it has", async () => {
    const { metafile } = await build({
      entryPoints: [join(dist(), "*.js")],
      bundle: true,
      packages: "external",
      format: "esm",
      write: false,
      outdir: home,
      metafile: true
    })
    const imported = Object.values(metafile.outputs).flatMap(({ imports }) =>
      imports.flatMap(({ external, path }) => (external === true && !path.startsWith("node:") ? [path] : []))
    )
    expect(imported.filter((path) => !path.startsWith("effect/"))).toEqual([])
    const licences = await readFile(join(dist(), "THIRD-PARTY-LICENSES"), "utf8")
    expect(licences).toMatch(/^effect 3\.\d/m)
  })

  it("runs a call on the application's Effect 4", () => {
    writeFileSync(
      join(home, "start.mjs"),
      `import { Effect } from "effect"
import { ToolCall, ToolRunner, Toolset } from "${join(dist(), "index.js")}"
const program = Effect.gen(function* () {
  const runner = yield* ToolRunner.make(yield* Toolset.dynamic([{ name: "now", execute: () => Effect.succeed("12:00") }]))
  return yield* runner.run(ToolCall.make("1", "now", {}))
})
console.log((await Effect.runPromise(program)).text)`
    )
    expect(execFileSync(process.execPath, [join(home, "start.mjs")], { encoding: "utf8" })).toBe('"12:00"\n')
  })

  it("has no type of Effect 3, nor of what is written in it, in its declarations", async () => {
    const types = join(home, "types")
    const compiler = fileURLToPath(new URL("../../../node_modules/@typescript/native/bin/tsc", import.meta.url))
    const project = join(home, "tsconfig.json")
    writeFileSync(
      project,
      JSON.stringify({
        extends: join(folder, "tsconfig.build.json"),
        compilerOptions: {
          outDir: types,
          rootDir: join(folder, "../.."),
          composite: false,
          incremental: false,
          noCheck: true
        },
        include: [join(folder, "src")],
        references: []
      })
    )
    const compiled = await runCommand(process.execPath, [compiler, "-p", project], {
      cwd: folder,
      timeLimitSeconds: 600
    })
    expect(compiled.output).toBe("")
    // It throws at an import of anything but `effect`.
    const declarations = publicDeclarations(folder, join(types, "packages", "effect4", "src"))
    expect([...declarations.keys()].filter((file) => !file.includes("/"))).toEqual(
      expect.arrayContaining(publicModules(folder).map((name) => `${name}.d.ts`))
    )
  })
})
