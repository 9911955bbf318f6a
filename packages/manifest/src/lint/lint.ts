/** All that can be said of a manifest without calling anything. */
import { WireFormat } from "@wield/providers"
import * as Effect from "effect/Effect"
import { read } from "../file/read.js"
import { gathered } from "../load/build.js"
import { compiled } from "../load/bind.js"
import { executorsOf } from "../load/executors.js"
import { isInternal } from "../load/internal.js"
import { readTexts } from "../load/load.js"
import type { Manifest } from "../load/Manifest.js"
import { examined, inOrder } from "../load/parts.js"
import { toTools } from "../load/toTools.js"
import type { ApiEntry } from "../ManifestEntry.js"
import * as Problem from "../Problem.js"
import { contextFaults } from "../messages/faults.js"
import { completed, savedNames, taken } from "../messages/taken.js"
import { configurationProblems, own } from "./configurations.js"
import { dialectProblems } from "./dialects.js"
import type { Options } from "./Options.js"
import { schemasOf } from "./schemas.js"
import { standIns } from "./standIns.js"

export const lint = (input: string | Manifest, options: Options): Effect.Effect<ReadonlyArray<Problem.Problem>> =>
  Effect.gen(function* () {
    const manifest = typeof input === "string" ? parsed(input, options) : input
    const factories = [...(options.factories ?? []), ...own]
    const schemas = schemasOf(manifest, options.schemas ?? {})
    const executors = standIns(manifest, options, factories, schemas.all)
    const binding = { executors, factories, handlers: handlersOf(manifest, options.handlers) }
    // With nothing but stand-ins, nothing is required and nothing fails.
    const made = yield* toTools(manifest, binding) as Effect.Effect<Effect.Effect.Success<ReturnType<typeof toTools>>>
    const { definitions, problems: invalid } = yield* compiled(manifest, made)
    const found = [
      ...manifest.problems,
      ...schemas.problems,
      ...(yield* configurationProblems(manifest, factories)),
      ...made.problems,
      ...(yield* internalProblems(manifest, binding)),
      ...invalid,
      ...dialectProblems(manifest, definitions, options.dialects ?? WireFormat.all)
    ]
    return inOrder(distinct(found))
  })

/** Errors do not end it: what can be read is looked at further. */
const parsed = (text: string, { file, files }: Options): Manifest => {
  const { parts, problems } = gathered(read(text, file), readTexts(files))
  return examined(parts, problems)
}

/** Any handler will do, unless it is known which there are. */
const handlersOf = (manifest: Manifest, names: ReadonlyArray<string> | undefined) => {
  const local = manifest.entries.filter(({ _tag }) => _tag === "Local").map((entry) => entry.function.name)
  return Object.fromEntries((names ?? local).map((name) => [name, () => Effect.dieMessage("The linter calls nothing")]))
}

/** Entries that keep messages are no tools; whoever keeps messages with them finds the same wrong. */
const internalProblems = (
  manifest: Manifest,
  binding: Parameters<typeof toTools>[1]
): Effect.Effect<ReadonlyArray<Problem.Problem>> =>
  Effect.gen(function* () {
    const entries = manifest.entries.filter((entry): entry is ApiEntry => entry._tag === "Api" && isInternal(entry))
    // As in `lint`.
    const { all, problems } = yield* executorsOf(manifest, entries, binding) as Effect.Effect<
      Effect.Effect.Success<ReturnType<typeof executorsOf>>
    >
    const faults = entries.flatMap((entry) => {
      const { names } = taken(entry, [...entry.context, ...savedNames([])])
      const found = all.get(entry.api.name.toLowerCase())?.check(completed(entry, names)) ?? []
      return [...contextFaults(entry), ...found].map((fault) => Problem.at(entry, fault))
    })
    return [...problems, ...faults]
  })

/** What two checks say alike is said once. */
const distinct = (problems: ReadonlyArray<Problem.Problem>): ReadonlyArray<Problem.Problem> => [
  ...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()
]
