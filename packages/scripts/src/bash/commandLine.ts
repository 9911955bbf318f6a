/**
 * The words that stand for arguments where argc reads them from a command line.
 */
import * as Chunks from "effect/Array"
import type { Binding, BoundParameter } from "./Binding.js"
import type { Field } from "./message.js"

/** A parameter and what it is given; `long` repeats a long single value after a prefix. */
export interface Given {
  readonly parameter: BoundParameter
  readonly values: ReadonlyArray<string> | undefined
  readonly long: ((prefix: string) => Field) | undefined
}

/** The words of options and flags, after that of the command. */
export const optionWords = (binding: Binding, given: ReadonlyArray<Given>): ReadonlyArray<Field> => [
  ...(binding.command === undefined ? [] : [binding.command]),
  ...given.flatMap(({ long, parameter: { joint, kind, word }, values }): ReadonlyArray<Field> => {
    if (word === undefined || values === undefined) return []
    switch (kind) {
      case "flag":
        return values.map(() => word)
      case "counter":
        // A word for each would be as many as a model likes.
        return Array.from({ length: Math.min(Number(values[0] ?? 0), 64) }, () => word)
      case "map":
        return values.flatMap((key, at) => (at % 2 === 0 ? [`${word}${key}=${values[at + 1] ?? ""}`] : []))
      case "single":
        return typeof joint === "number"
          ? [word, ...values]
          : [long?.(word + joint) ?? `${word}${joint}${values[0] ?? ""}`]
      case "list":
        return typeof joint === "number"
          ? Chunks.chunksOf(values, joint).flatMap((group) => [word, ...group])
          : values.map((value) => word + joint + value)
    }
  })
]

export interface Positionals {
  readonly words: ReadonlyArray<Field>
  /** Where those stand that the environment or a function of the script may give: as the last ones, they are no words. */
  readonly places: ReadonlyMap<BoundParameter, number>
}

/** `"$@"` of the function. An argument that was left out is empty where others follow. */
export const positionalWords = (given: ReadonlyArray<Given>): Positionals => {
  const words: Array<Field> = []
  const places = new Map<BoundParameter, number>()
  let end = 0
  for (const { long, parameter, values } of given) {
    if (parameter.word !== undefined) continue
    if (values !== undefined) {
      const repeated = parameter.kind === "single" ? long?.("") : undefined
      words.push(...(repeated === undefined ? values : [repeated]))
      if (values.length > 0) end = words.length
      continue
    }
    if (parameter.defaultFunction !== undefined || parameter.variable !== undefined) {
      places.set(parameter, words.length)
    }
    if (parameter.kind === "single") words.push("")
  }
  return { words: words.slice(0, end), places }
}
