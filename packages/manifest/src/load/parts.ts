/**
 * What was read of one or several files, before it is looked at as a whole.
 */
import * as Either from "effect/Either"
import type { Entry } from "../ManifestEntry.js"
import { InvalidManifest } from "../ManifestError.js"
import { isError, type Problem } from "../Problem.js"
import { hiddenAmong, splitContext } from "./context.js"
import type { Manifest } from "./Manifest.js"
import { parameterNames } from "./parameters.js"
import { rules } from "./rules.js"

export type Parts = Omit<Manifest, "problems">

export const none: Parts = { entries: [], apis: [], context: [], prompt: undefined, model: undefined }

/** The parts with all that is wrong with them, errors too: for the linter, which goes on where loading ends. */
export const examine = (parts: Parts, found: ReadonlyArray<Problem>): Manifest => {
  const entries = parts.entries.map((entry) => inContext(entry, parts.context))
  return { ...parts, entries, problems: inOrder([...found, ...rules(entries)]) }
}

/** A manifest of the parts, unless there is an error among the problems or in the parts. */
export const finish = (parts: Parts, found: ReadonlyArray<Problem>): Either.Either<Manifest, InvalidManifest> => {
  const manifest = examine(parts, found)
  const { problems } = manifest
  return problems.some(isError) ? Either.left(new InvalidManifest({ problems })) : Either.right(manifest)
}

/** An entry that names no context has the fields of the configuration's that it has parameters for, as Acorn has it. */
export const inContext = (entry: Entry, context: ReadonlyArray<string>): Entry => {
  if (entry.context.length > 0 || context.length === 0) return entry
  const fields = hiddenAmong(parameterNames(entry.function.parameters), context)
  return fields.length === 0 ? entry : { ...entry, ...splitContext(fields) }
}

/** By place within each file; what has no place stays where it was. */
export const inOrder = (problems: ReadonlyArray<Problem>): ReadonlyArray<Problem> => {
  const files = [...new Set(problems.map(({ place }) => place?.file))]
  const order = ({ place }: Problem): ReadonlyArray<number> =>
    place === undefined ? [files.length, 0, 0] : [files.indexOf(place.file), place.line, place.column]
  return problems.toSorted((left, right) => {
    const others = order(right)
    return (
      order(left)
        .map((value, index) => value - others[index]!)
        .find((difference) => difference !== 0) ?? 0
    )
  })
}

/** A manifest from entries that no file has. */
export const fromParts = (
  entries: ReadonlyArray<Entry>,
  parts: {
    readonly apis?: { readonly [name: string]: { readonly type: string } } | undefined
    readonly context?: ReadonlyArray<string> | undefined
    readonly prompt?: string | undefined
    readonly model?: Manifest["model"]
    readonly problems?: ReadonlyArray<Problem> | undefined
  }
): Either.Either<Manifest, InvalidManifest> => {
  const apis = Object.entries(parts.apis ?? {}).map(([name, { type, ...configuration }]) => ({
    name,
    type: type.toLowerCase(),
    configuration,
    source: undefined
  }))
  const { context = [], model, problems = [], prompt } = parts
  return finish({ entries, apis, context, prompt, model }, problems)
}

export const combineAll = (manifests: ReadonlyArray<Manifest>): Either.Either<Manifest, InvalidManifest> => {
  const apis = manifests.flatMap((manifest) => manifest.apis)
  const parts: Parts = {
    entries: manifests.flatMap(({ entries }) => entries),
    apis,
    context: [...new Set(manifests.flatMap(({ context }) => context))],
    prompt: manifests.find(({ prompt }) => prompt !== undefined)?.prompt,
    model: manifests.find(({ model }) => model !== undefined)?.model
  }
  // What the rules find is found again over all entries.
  const found = manifests.flatMap(({ entries, problems }) => {
    const again = new Set(rules(entries).map(({ message, path, rule }) => `${rule} ${path.join(" ")} ${message}`))
    return problems.filter(({ message, path, rule }) => !again.has(`${rule} ${path.join(" ")} ${message}`))
  })
  return finish(parts, [...found, ...sameApis(apis)])
}

const sameApis = (apis: Manifest["apis"]): ReadonlyArray<Problem> =>
  apis.flatMap(({ name, source }, index) => {
    const isFirst = apis.findIndex((other) => other.name.toLowerCase() === name.toLowerCase()) === index
    const message = `The API ${JSON.stringify(name)} is declared twice; leave one of them out`
    const place = source?.at([])
    return isFirst
      ? []
      : [{ severity: "error", rule: "duplicate-api", message, tool: undefined, path: source?.path ?? [], place }]
  })
