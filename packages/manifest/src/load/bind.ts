/** A toolset of a manifest's tools, or everything that keeps it from being one. */
import * as Json from "@wield/core/Json"
import * as Options from "@wield/core/Options"
import * as Toolset from "@wield/core/Toolset"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { InvalidManifest, toLine } from "../ManifestError.js"
import * as ManifestProblem from "../ManifestProblem.js"
import type { Manifest, Options as Binding } from "../Manifest.js"
import { inOrder } from "./parts.js"
import { type Tools, toTools } from "./toTools.js"

type Tool = Toolset.DynamicTool<unknown>

/** The tools, all of which a model can be offered. Warnings are logged. */
export const bindTools = (manifest: Manifest, binding: Binding): Effect.Effect<ReadonlyArray<Tool>, unknown, unknown> =>
  Effect.gen(function* () {
    const wrong = checkBinding(binding)
    if (wrong !== undefined) {
      const message = Options.toText(wrong, "What the manifest is given")
      return yield* new InvalidManifest({
        problems: [ManifestProblem.make({ severity: "error", rule: "binding", message })]
      })
    }
    const made = yield* toTools(manifest, binding)
    const problems = inOrder([
      ...manifest.problems,
      ...made.problems,
      ...(yield* compileTools(manifest, made)).problems
    ])
    if (problems.some(ManifestProblem.isError)) return yield* new InvalidManifest({ problems })
    yield* Effect.forEach(ManifestProblem.toLines(problems, toLine), (line) => Effect.logWarning(line), {
      discard: true
    })
    return made.tools
  })

/** A program without types may give anything; what is misspelt would be left out. */
const checkBinding = Options.fields({
  factories: Options.list(
    Options.holds(
      "a factory, such as RestExecutor.factory",
      (value) => Json.isObject(value) && typeof value["make"] === "function" && Array.isArray(value["types"])
    )
  ),
  executors: Options.record(
    Options.holds(
      "an executor, or an effect that makes one",
      (value) => Effect.isEffect(value) || (Json.isObject(value) && typeof value["prepare"] === "function")
    )
  ),
  handlers: Options.record(
    Options.holds(
      "a function, or an object with `handle`",
      (value) => typeof value === "function" || (Json.isObject(value) && typeof value["handle"] === "function")
    )
  )
} satisfies Options.Checks<Binding>)

export const compileTools = (manifest: Manifest, { tools }: Tools) =>
  // All at once first: they are compiled together in a fraction of the time.
  Effect.matchEffect(definitionsOf(tools), {
    onSuccess: (definitions) => Effect.succeed({ definitions, problems: [] }),
    onFailure: () =>
      Effect.map(
        Effect.forEach(tools, (tool) => Effect.either(definitionsOf([tool]))),
        (all) => ({
          definitions: all.flatMap(Either.getOrElse(() => [])),
          problems: all.flatMap((one, index) => {
            const entry = manifest.entries.find(({ function: { name } }) => name === tools[index]?.name)
            if (Either.isRight(one) || entry === undefined) return []
            const path = ["function", "parameters"]
            return [ManifestProblem.at(entry, ManifestProblem.error("invalid-tool", one.left.message, path))]
          })
        })
      )
  })

const definitionsOf = (tools: ReadonlyArray<Tool>) =>
  Effect.flatMap(Toolset.dynamic(tools), ({ offer }) =>
    Effect.map(offer, ({ entries }) => Array.from(entries.values(), ({ definition }) => definition))
  )
