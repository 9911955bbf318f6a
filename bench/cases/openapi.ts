/**
 * A large OpenAPI specification: what it takes to make a toolset of it, and what the compiler does for a program that
 * uses the module that is generated of it.
 */
import { spawnSync } from "node:child_process"
import { statSync } from "node:fs"
import { dirname, join } from "node:path"
import { folder } from "../harness/folders.js"
import { run, write } from "../harness/processes.js"
import type { Group, Measured } from "../harness/table.js"
import { operations, specification } from "../task/openApi.js"

const rounds = 5

const specificationFile = (): string => write("openapi/specification.json", specification())

const program = (file: string, module: string): string => `
import { readFileSync, writeFileSync } from "node:fs"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as ToolRunner from "@wield/core/ToolRunner"
import * as Manifest from "@wield/manifest/Manifest"
import * as RestExecutor from "@wield/manifest/RestExecutor"
import * as TypeScript from "@wield/manifest/TypeScript"
import * as Effect from "effect/Effect"

const step = async (effect) => {
  const before = process.cpuUsage()
  const result = await Effect.runPromise(effect)
  const { system, user } = process.cpuUsage(before)
  return { result, seconds: (system + user) / 1e6, mebibytes: process.resourceUsage().maxRSS / 1024 }
}
let text = readFileSync(${JSON.stringify(file)}, "utf8")
const modules = process.resourceUsage().maxRSS / 1024
const imported = await step(Effect.suspend(() => Manifest.fromOpenApi(text)))
text = undefined
const bound = await step(
  Manifest.toToolset(imported.result, { factories: [RestExecutor.factory] }).pipe(
    Effect.flatMap(ToolRunner.make),
    Effect.flatMap((runner) => runner.definitions),
    Effect.provide(FetchHttpClient.layer)
  )
)
const generated = await step(TypeScript.generate(imported.result))
writeFileSync(${JSON.stringify(module)}, generated.result.code)
const figures = ({ seconds, mebibytes }) => ({ seconds, mebibytes })
console.log(
  JSON.stringify({
    modules,
    tools: bound.result.length,
    definitions: JSON.stringify(bound.result).length,
    imported: figures(imported),
    bound: figures(bound),
    generated: figures(generated)
  })
)
`

interface Step {
  readonly seconds: number
  /** The most that the process has used until then. */
  readonly mebibytes: number
}

interface Figures {
  /** With modules and the specification's text loaded. */
  readonly modules: number
  readonly tools: number
  /** Characters of JSON. */
  readonly definitions: number
  readonly imported: Step
  readonly bound: Step
  readonly generated: Step
}

const isFigures = (value: unknown): value is Figures =>
  typeof value === "object" && value !== null && "definitions" in value && "bound" in value

const start = (): Figures => {
  const module = write("openapi/module.ts", "")
  const figures = run(write("openapi/program.mjs", program(specificationFile(), module)))
  if (!isFigures(figures) || figures.tools !== operations) throw new Error("the program did not make all tools")
  return figures
}

const bind = async (): Promise<Measured> => {
  const all = Array.from({ length: rounds }, start)
  const least = (figure: (figures: Figures) => number): number => Math.min(...all.map(figure))
  const seconds = least(({ bound, imported }) => imported.seconds + bound.seconds)
  const mebibytes = least(({ bound }) => bound.mebibytes)
  const [first] = all
  const rows = (["imported", "bound", "generated"] as const).map((name) => [
    { imported: "Manifest.fromOpenApi", bound: "Manifest.toToolset", generated: "TypeScript.generate" }[name],
    least((figures) => figures[name].seconds).toFixed(2),
    least((figures) => figures[name].mebibytes).toFixed(0)
  ])
  return {
    tables: [
      {
        _tag: "Figures",
        title: `${operations} operations, ${(statSync(specificationFile()).size / 1e6).toFixed(1)} MB of JSON; least of ${rounds} processes`,
        columns: ["step", "processor s", "process MiB at most"],
        rows: [["modules and text loaded", "", least(({ modules }) => modules).toFixed(0)], ...rows]
      }
    ],
    goals: [
      {
        name: "a large specification",
        goal: "import + bind ≤ 2 s and ≤ 150 MiB",
        measured: `${seconds.toFixed(2)} s, ${mebibytes.toFixed(0)} MiB`,
        isMet: seconds <= 2 && mebibytes <= 150
      }
    ],
    notes: [`The definitions are ${((first?.definitions ?? 0) / 1e6).toFixed(1)} MB of JSON.`]
  }
}

const compilers = [
  { name: "TypeScript 5.9.3", path: join(folder, "node_modules", "typescript", "bin", "tsc") },
  { name: "TypeScript 7.0.2", path: join(folder, "node_modules", "typescript7", "bin", "tsc") }
]

const use = `
import { ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"
import { layer, Tools } from "./module.js"
export const program = Effect.gen(function* () {
  const runner = yield* ToolRunner.make(yield* Toolset.fromLayer(Tools, layer(() => Effect.succeed([]))))
  const [resource] = yield* runner.call("resources_operation-7", { account: "a", name: "n" })
  return resource?.name satisfies string | undefined
})
`

const configuration = JSON.stringify({
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    target: "ES2022",
    module: "NodeNext",
    types: []
  },
  include: ["use.ts"]
})

const checkWith =
  ({ name, path }: (typeof compilers)[number]) =>
  async (): Promise<Measured> => {
    start()
    write("openapi/use.ts", use)
    const project = dirname(write("openapi/tsconfig.json", configuration))
    const { status, stdout } = spawnSync(process.execPath, [path, "--extendedDiagnostics", "-p", project], {
      encoding: "utf8"
    })
    if (status !== 0) throw new Error(`the program does not type-check:\n${stdout.slice(0, 2_000)}`)
    const figure = (label: string): number => Number(new RegExp(`^${label}:\\s*([\\d.]+)`, "m").exec(stdout)?.[1])
    const seconds = figure("Total time")
    const mebibytes = figure("Memory used") / 1024
    return {
      tables: [
        {
          _tag: "Figures",
          title: `a program that uses the generated module, ${name}, one run`,
          columns: ["instantiations", "check s, wall time", "total s, wall time", "MiB"],
          rows: [[figure("Instantiations"), figure("Check time").toFixed(2), seconds.toFixed(2), mebibytes.toFixed(0)]]
        }
      ],
      goals: [
        {
          name: `generated module of a large specification, ${name}`,
          goal: "≤ 20 s and ≤ 500 MiB to type-check",
          measured: `${seconds.toFixed(1)} s, ${mebibytes.toFixed(0)} MiB`,
          isMet: seconds <= 20 && mebibytes <= 500
        }
      ]
    }
  }

export const groups: ReadonlyArray<Group> = [
  { name: "bind", measure: bind },
  ...compilers.map((compiler) => ({
    name: compiler.name.replace(" ", "-").toLowerCase(),
    measure: checkWith(compiler)
  }))
]
