/** A toolset of a manifest's tools, or everything that keeps it from being one. */
import * as Toolset from "@wield/core/Toolset"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { InvalidManifest, toLine } from "../ManifestError.js"
import * as ManifestProblem from "../ManifestProblem.js"
import type { Manifest, Options } from "../Manifest.js"
import { inOrder } from "./parts.js"
import { type Tools, toTools } from "./toTools.js"

type Tool = Toolset.DynamicTool<unknown>

/** The tools, all of which a model can be offered. Warnings are logged. */
export const bindTools = (manifest: Manifest, binding: Options): Effect.Effect<ReadonlyArray<Tool>, unknown, unknown> =>
  Effect.gen(function* () {
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
