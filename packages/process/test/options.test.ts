/** Options without their types, as plain JavaScript gives them. */
import { describe, expect, it } from "@effect/vitest"
import { Environment, Guardian, LineProcess, Lines, NodeProcess, Process, ProcessGuard, Tail } from "@wield/process"
import { Effect } from "effect"
import { causeOf, untyped } from "../../../test/untyped.js"

const program = { command: process.execPath, arguments: ["-e", ""], environment: {}, workingDirectory: "." }

const quiet = () => undefined

describe("a limit that limits nothing is refused", () => {
  const cases: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown, never>, RegExp]> = [
    ...[NaN, "10 kB", null, -1].map(
      (lineLimit) =>
        [
          `lines of ${lineLimit}`,
          startLines({ ...program, lineLimit }),
          /lineLimit must be a number of at least 0/
        ] as const
    ),
    ["a misspelt limit of lines", startLines({ ...program, lineLimt: 10 }), /has no option lineLimt; there are/],
    ["patience without end", startLines({ ...program, patience: Infinity }), /patience must be a whole number/],
    ["a listener of another name", startLines(program, { onLine: quiet, ended: quiet }), /has no option onLine/],
    ["no arguments", startLines({ ...program, arguments: undefined }), /arguments must be an array of texts/],
    ["a Map as environment", startLines({ ...program, environment: new Map() }), /environment must be an object/],
    ...[{ process: 5 }, { processes: NaN }, { processes: 64, memory: "512 MB" }, null, Promise.resolve({})].map(
      (limits, index) => [`processes ${index}`, watch(limits), /The limits of ProcessGuard/] as const
    ),
    ...[0, -5, NaN, "64 MB", undefined].map(
      (heapMegabytes) =>
        [
          `a heap of ${heapMegabytes}`,
          untyped<Effect.Effect<unknown>>(NodeProcess.start)({ file: "x.mjs", heapMegabytes }),
          /heapMegabytes must be a whole number of at least 1/
        ] as const
    ),
    ["a relative folder", guardian("tmp"), /The folder of Guardian must be an absolute path/],
    ["no folder", guardian(undefined), /The folder of Guardian must be an absolute path/]
  ]
  it.live.each(cases)("%s", ([, effect, expected]) =>
    Effect.gen(function* () {
      expect(yield* causeOf(effect)).toMatch(expected)
    })
  )

  it.live("a channel that is not one, and work without a group", () =>
    Effect.gen(function* () {
      const start = untyped<Effect.Effect<unknown, unknown, never>>(Process.start)
      const listener = { standardOutput: quiet, standardError: quiet, ended: quiet }
      expect(yield* causeOf(Effect.scoped(start({ ...program, channel: "stdio" }, listener)))).toContain(
        'channel must be "standard" or "descriptors" or "pipes"'
      )
      const begin = Effect.map(ProcessGuard.make({ processes: 1, memory: undefined }), (watching) =>
        untyped<() => void>(watching)({ worker: 1, gruop: 1, mark: "", exceed: quiet })
      )
      expect(yield* causeOf(Effect.scoped(begin))).toContain("has no option gruop")
    })
  )
})

function startLines(options: unknown, listener: unknown = { line: quiet, ended: quiet }) {
  return Effect.scoped(untyped<Effect.Effect<unknown>>(LineProcess.start)(options, listener))
}

function watch(limits: unknown) {
  return Effect.scoped(untyped<Effect.Effect<unknown>>(ProcessGuard.make)(limits))
}

function guardian(folder: unknown) {
  return Effect.scoped(untyped<Effect.Effect<unknown>>(Guardian.make)(folder))
}

it("a tail of no number, and lines that call nothing, are refused", () => {
  for (const limit of [NaN, undefined, "5", -1]) expect(() => untyped(Tail.make)(limit)).toThrow("The limit of Tail")
  expect(() => untyped(Lines.make)(undefined)).toThrow("What Lines calls must be a function")
})

it("a text in the place of names passes no variable: each letter would be a name, and a star all of them", () => {
  const inherit = untyped<unknown>(Environment.inherit)
  for (const pass of ["AWS_*", null, [5], new Set(["*"])]) {
    expect(() => inherit({ API_KEY: "secret" }, pass)).toThrow(
      "What Environment.inherit passes must be an array of texts"
    )
  }
})
