/** A toolset of a manifest's tools, or everything that keeps it from being one. */
import * as Json from "@wield/core/Json"
import * as Options from "@wield/core/Options"
import * as Toolset from "@wield/core/Toolset"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { InvalidManifest, toLine } from "../ManifestError.js"
import * as ManifestProblem from "../ManifestProblem.js"
import type { Manifest, Options as Binding } from "../Manifest.js"
import { aManifest, executorChecks } from "./executors.js"
import { inOrder } from "./parts.js"
import { type Tools, toTools } from "./toTools.js"

type Tool = Toolset.DynamicTool<unknown>

/** The tools, all of which a model can be offered, and a toolset of them. Warnings are logged. */
export const bindTools = (manifest: Manifest, binding: Binding): Effect.Effect<Bound, unknown, unknown> =>
  Effect.gen(function* () {
    Options.orThrow(aManifest(manifest), "What tools are made of")
    const wrong = checkBinding(binding)
    if (wrong !== undefined) {
      const message = Options.toText(wrong, "What the manifest is given")
      const problem = ManifestProblem.make({ severity: "error", rule: "binding", message })
      return yield* new InvalidManifest({ problems: [problem] })
    }
    const made = yield* toTools(manifest, binding)
    const compiled = yield* compileTools(manifest, made)
    const problems = inOrder([...manifest.problems, ...made.problems, ...compiled.problems])
    if (problems.some(ManifestProblem.isError)) return yield* new InvalidManifest({ problems })
    // Where each can be offered by itself, and not all together, it says why.
    const toolset = compiled.toolset ?? (yield* Toolset.dynamic(made.tools))
    yield* Effect.forEach(ManifestProblem.toLines(problems, toLine), (line) => Effect.logWarning(line), {
      discard: true
    })
    return { tools: made.tools, toolset }
  })

export interface Bound {
  readonly tools: ReadonlyArray<Tool>
  readonly toolset: Toolset.DynamicToolset<unknown>
}

/** A program without types may give anything; what is misspelt would be left out. */
const checkBinding = Options.fields({
  ...executorChecks,
  handlers: Options.record(
    Options.holds(
      "a function, or an object with `handle`",
      (value) => typeof value === "function" || (Json.isObject(value) && typeof value["handle"] === "function")
    )
  )
} satisfies Options.Checks<Binding>)

export const compileTools = (manifest: Manifest, { tools }: Tools) =>
  // All at once first: they are compiled together in a fraction of the time.
  Effect.matchEffect(compile(tools), {
    onSuccess: (compiled) => Effect.succeed({ ...compiled, problems: [] }),
    onFailure: () =>
      Effect.map(
        Effect.forEach(tools, (tool) => Effect.either(compile([tool]))),
        (all) => ({
          toolset: undefined,
          definitions: all.flatMap((one) => (Either.isRight(one) ? one.right.definitions : [])),
          problems: all.flatMap((one, index) => {
            const entry = manifest.entries.find(({ function: { name } }) => name === tools[index]?.name)
            if (Either.isRight(one) || entry === undefined) return []
            const path = ["function", "parameters"]
            return [ManifestProblem.at(entry, ManifestProblem.error("invalid-tool", one.left.message, path))]
          })
        })
      )
  })

const compile = (tools: ReadonlyArray<Tool>) =>
  Effect.flatMap(Toolset.dynamic(tools), (toolset) =>
    Effect.map(toolset.offer, ({ entries }) => ({
      toolset,
      definitions: Array.from(entries.values(), ({ definition }) => definition)
    }))
  )
