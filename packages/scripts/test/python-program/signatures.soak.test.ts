import { describe, expect, it } from "@effect/vitest"
import type { Json } from "@wield/core"
import { Effect, FastCheck } from "effect"
import { introspect } from "../../src/Introspection.js"
import { makeExecutor } from "../executor/scripts.js"
import { python } from "./python.js"

/** A Python annotation, and JSON values that it takes. */
interface Typed {
  readonly annotation: string
  readonly values: FastCheck.Arbitrary<Json.Json>
}

const strings = FastCheck.oneof(
  FastCheck.string({ unit: "grapheme" }),
  FastCheck.constantFrom(
    "",
    "\n",
    "a\r\nb",
    "'",
    '"',
    "\\",
    "$(id)",
    "`id`",
    "${HOME}",
    "--help",
    "-x",
    "null",
    "1",
    "{}",
    "\u2028"
  )
)
const dates = FastCheck.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })

const scalars: ReadonlyArray<Typed> = [
  { annotation: "str", values: strings },
  { annotation: "int", values: FastCheck.maxSafeInteger() },
  { annotation: "float", values: FastCheck.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0) },
  { annotation: "bool", values: FastCheck.boolean() },
  { annotation: "Color", values: FastCheck.constantFrom("red", "a 'quoted' blue") },
  { annotation: `Literal["a", 2, True, None]`, values: FastCheck.constantFrom("a", 2, true, null) },
  { annotation: "datetime.date", values: dates.map((date) => date.toISOString().slice(0, 10)) },
  { annotation: "uuid.UUID", values: FastCheck.uuid() },
  { annotation: "Point", values: FastCheck.record({ x: FastCheck.maxSafeInteger(), name: strings }) },
  { annotation: "Pair", values: FastCheck.record({ left: strings, right: FastCheck.constantFrom(true, false, null) }) },
  { annotation: "Any", values: FastCheck.jsonValue({ noUnicodeString: false }).map((value) => value as Json.Json) }
]

const types = FastCheck.letrec<{ readonly type: Typed }>((tie) => {
  const inner = tie("type")
  const made = (
    annotation: (of: string) => string,
    values: (of: FastCheck.Arbitrary<Json.Json>) => FastCheck.Arbitrary<Json.Json>
  ) => inner.map((of) => ({ annotation: annotation(of.annotation), values: values(of.values) }))
  return {
    type: FastCheck.oneof(
      { maxDepth: 2, withCrossShrink: true },
      FastCheck.constantFrom(...scalars),
      made(
        (of) => `Optional[${of}]`,
        (of) => FastCheck.option(of)
      ),
      made(
        (of) => `List[${of}]`,
        (of) => FastCheck.array(of, { maxLength: 3 })
      ),
      made(
        (of) => `Tuple[${of}, ...]`,
        (of) => FastCheck.array(of, { maxLength: 3 })
      ),
      made(
        (of) => `Tuple[int, ${of}]`,
        (of) => FastCheck.tuple(FastCheck.maxSafeInteger(), of).map(([one, two]) => [one, two])
      ),
      made(
        (of) => `Dict[str, ${of}]`,
        (of) => FastCheck.dictionary(strings, of, { maxKeys: 3, noNullPrototype: true })
      )
    )
  }
}).type

const signatures = FastCheck.array(types, { minLength: 1, maxLength: 5 }).chain((parameters) =>
  FastCheck.record({
    annotations: FastCheck.constant(parameters.map(({ annotation }) => annotation)),
    calls: FastCheck.array(FastCheck.tuple(...parameters.map(({ values }) => values)), { minLength: 2, maxLength: 4 })
  })
)

const sourceOf = (annotations: ReadonlyArray<string>): string => `
import datetime, enum, uuid
from dataclasses import dataclass
from typing import Any, Dict, List, Literal, NamedTuple, Optional, Tuple

class Color(enum.Enum):
    RED = "red"
    BLUE = "a 'quoted' blue"

@dataclass
class Point:
    x: int
    name: str

class Pair(NamedTuple):
    left: str
    right: Optional[bool]

def run(${annotations.map((annotation, index) => `p${index}: ${annotation}`).join(", ")}):
    """Gives back what it is given.

    Args:
${annotations.map((_, index) => `        p${index}: a value`).join("\n")}
    """
    return {${annotations.map((_, index) => `"p${index}": p${index}`).join(", ")}}
`

describe.skipIf(python === undefined)("python3 is on the path", () => {
  it.scopedLive.each([
    ["worker", 40],
    ["process", 8]
  ] as const)("what a function of any signature receives is what was sent, in isolation %s", ([isolation, runs]) =>
    Effect.gen(function* () {
      const { executor } = yield* makeExecutor({
        isolation,
        workers: { size: 1 },
        interpreters: { python: python ?? "python3" }
      })
      const check = (annotations: ReadonlyArray<string>, calls: ReadonlyArray<ReadonlyArray<Json.Json>>) =>
        Effect.gen(function* () {
          const script = yield* introspect({
            file: "/nowhere/tools/tool.py",
            text: sourceOf(annotations),
            kind: "tool"
          })
          const [run] = script.functions
          if (run === undefined) throw new Error(`there is no run in ${script.text}`)
          for (const values of calls) {
            const parameters = Object.fromEntries(values.map((value, index) => [`p${index}`, value]))
            expect(yield* executor.run(script, run, parameters)).toEqual(parameters)
          }
        })
      yield* Effect.promise(() =>
        FastCheck.assert(
          FastCheck.asyncProperty(signatures, ({ annotations, calls }) => Effect.runPromise(check(annotations, calls))),
          { numRuns: runs }
        )
      )
    })
  )
})
