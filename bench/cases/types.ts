/**
 * What the compiler does for a program of many tools: the toolkit and its Layer
 * alone, with @effect/ai's `generateText` beside, and with a Wield runner beside.
 * Ends with a failure when what Wield adds exceeds its budget by a fifth.
 */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { folder } from "../harness/folders.js"
import { write } from "../harness/processes.js"
import { type Goal, type Group, type Measured, times } from "../harness/table.js"
import { type Checked, type Compiler, compilers, configurationOf, groupName, typeCheck } from "../harness/typeCheck.js"

type Variant = "toolkit" | "generateText" | "wield"

const variants: ReadonlyArray<Variant> = ["toolkit", "generateText", "wield"]
const sizes = [10, 100, 300]

const toolOf = (index: number): string => `
const Tool${index} = Tool.make("tool_${index}", {
  description: "Tool number ${index}",
  parameters: {
    customer: Schema.String,
    status: Schema.Literal("open_${index}", "paid_${index}"),
    limit: Schema.optional(Schema.Int.pipe(Schema.between(1, 100))),
    minimum: Schema.Number,
    items: Schema.Array(Schema.Struct({ sku: Schema.String, quantity: Schema.Int })),
    includeArchived
  },
  success: Schema.Struct({ status: Schema.String, count: Schema.Int, number${index}: Schema.Number, tags: Schema.Array(Schema.String) }),
  failure: Schema.Struct({ reason${index}: Schema.String }),
  failureMode: "return"
})`

const handlerOf = (index: number): string =>
  `  tool_${index}: ({ items, minimum, status }) => Effect.succeed({ status, count: items.length, number${index}: minimum, tags: [] })`

const uses: { readonly [name in Variant]: { readonly imports: string; readonly use: string } } = {
  toolkit: {
    imports: "",
    use: `
export const program = Effect.provide(
  Effect.flatMap(kit, (toolkit) => Effect.map(toolkit.handle("tool_0", given), (handled) => handled.encodedResult)),
  layer
)`
  },
  generateText: {
    imports: 'import * as LanguageModel from "@effect/ai/LanguageModel"',
    use: `
export const program = Effect.provide(
  Effect.map(LanguageModel.generateText({ prompt: "go", toolkit: kit }), (response) =>
    response.toolResults.map((result) =>
      result.name === "tool_1" && !result.isFailure ? result.result.number1 : 0
    )
  ),
  layer
)`
  },
  wield: {
    imports: 'import { ToolCall, ToolRunner, Toolset } from "@wield/core"',
    use: `
export const program = Effect.provide(
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(kit))
    const outcome = yield* runner.run(ToolCall.make("call_1", "tool_1", "{}"))
    const called = yield* runner.call("tool_0", given)
    return outcome._tag === "Success" && outcome.name === "tool_1"
      ? outcome.result.number1 + called.number0
      : outcome._tag === "Failure" && outcome.name === "tool_2"
        ? outcome.failure.reason2.length
        : 0
  }),
  layer
)`
  }
}

const sourceOf = (variant: Variant, size: number): string => {
  const indices = Array.from({ length: size }, (_, index) => index)
  return [
    'import * as Tool from "@effect/ai/Tool"',
    'import * as Toolkit from "@effect/ai/Toolkit"',
    'import * as Effect from "effect/Effect"',
    'import * as Schema from "effect/Schema"',
    uses[variant].imports,
    "const includeArchived = Schema.optionalWith(Schema.Boolean, { default: () => false })",
    ...indices.map(toolOf),
    `const kit = Toolkit.make(${indices.map((index) => `Tool${index}`).join(", ")})`,
    `const layer = kit.toLayer({\n${indices.map(handlerOf).join(",\n")}\n})`,
    'const given = { customer: "c", status: "open_0", minimum: 1, items: [], includeArchived: false } as const',
    uses[variant].use
  ].join("\n")
}

const check = (compiler: Compiler, variant: Variant, size: number): Checked => {
  const project = write(`types/${variant}-${size}/tsconfig.json`, configurationOf("*.ts"))
  write(`types/${variant}-${size}/program.ts`, sourceOf(variant, size))
  return typeCheck(compiler, dirname(project))
}

/** How many instantiations Wield may add to a program. */
type Budget = { readonly [compilerAndSize: string]: number }

const measureWith = (compiler: Compiler) => async (): Promise<Measured> => {
  const { name } = compiler
  const budget: Budget = JSON.parse(readFileSync(join(folder, "types-budget.json"), "utf8"))
  const rows: Array<ReadonlyArray<string | number>> = []
  const goals: Array<Goal> = []
  const failures: Array<string> = []
  for (const size of sizes) {
    const checked = Object.fromEntries(variants.map((variant) => [variant, check(compiler, variant, size)])) as {
      readonly [name in Variant]: Checked
    }
    for (const variant of variants) {
      const { checkSeconds, instantiations, mebibytes, types } = checked[variant]
      rows.push([
        `${size} tools, ${variant}`,
        instantiations,
        times(instantiations / checked.toolkit.instantiations),
        types,
        checkSeconds.toFixed(2),
        mebibytes.toFixed(0)
      ])
    }
    const own = checked.wield.instantiations
    const added = own - checked.toolkit.instantiations
    const program = `${name}, ${size} tools`
    const allowed = budget[program]
    if (allowed === undefined) failures.push(`types-budget.json has no budget for "${program}": Wield adds ${added}`)
    else if (added > allowed * 1.2) {
      failures.push(
        `${program}: Wield adds ${added} instantiations, over the budget of ${allowed} by more than a fifth`
      )
    }
    if (size === 300) {
      goals.push({
        name: `types, ${size} tools, ${name}`,
        goal: "≤ 10 % over the same toolkit without Wield",
        measured: `${percent(own / checked.toolkit.instantiations)} over toolkit + Layer, ${percent(own / checked.generateText.instantiations)} over the same with generateText`,
        isMet: own <= checked.toolkit.instantiations * 1.1
      })
    }
  }
  return {
    tables: [
      {
        _tag: "Figures",
        title: `types, ${name}, one run each`,
        columns: ["program", "instantiations", "by toolkit", "types", "check s, wall time", "MiB"],
        rows
      }
    ],
    goals,
    failures
  }
}

const percent = (ratio: number): string => `${((ratio - 1) * 100).toFixed(1)} %`

export const groups: ReadonlyArray<Group> = compilers.map((compiler) => ({
  name: groupName(compiler),
  measure: measureWith(compiler)
}))
