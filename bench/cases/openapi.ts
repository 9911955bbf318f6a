/**
 * A large OpenAPI specification: what it takes to make a toolset of it, and what the compiler does for a program that
 * uses the module that is generated of it.
 */
import { statSync } from "node:fs"
import { dirname } from "node:path"
import { run, write } from "../harness/processes.js"
import type { Group, Measured } from "../harness/table.js"
import { type Compiler, compilers, configurationOf, groupName, typeCheck } from "../harness/typeCheck.js"
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

const checkWith = (compiler: Compiler) => async (): Promise<Measured> => {
  start()
  write("openapi/use.ts", use)
  const project = dirname(write("openapi/tsconfig.json", configurationOf("use.ts")))
  const { checkSeconds, instantiations, mebibytes, totalSeconds } = typeCheck(compiler, project)
  return {
    tables: [
      {
        _tag: "Figures",
        title: `a program that uses the generated module, ${compiler.name}, one run`,
        columns: ["instantiations", "check s, wall time", "total s, wall time", "MiB"],
        rows: [[instantiations, checkSeconds.toFixed(2), totalSeconds.toFixed(2), mebibytes.toFixed(0)]]
      }
    ],
    goals: [
      {
        name: `generated module of a large specification, ${compiler.name}`,
        goal: "≤ 20 s and ≤ 500 MiB to type-check",
        measured: `${totalSeconds.toFixed(1)} s, ${mebibytes.toFixed(0)} MiB`,
        isMet: totalSeconds <= 20 && mebibytes <= 500
      }
    ]
  }
}

export const groups: ReadonlyArray<Group> = [
  { name: "bind", measure: bind },
  ...compilers.map((compiler) => ({
    name: groupName(compiler),
    measure: checkWith(compiler)
  }))
]
