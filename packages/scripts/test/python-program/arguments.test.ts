import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import type { Json } from "@wield/core"
import { Effect } from "effect"
import { shareInFile } from "../shareInFile.js"
import { python, said, startPython, text } from "./python.js"

const conversions = readFileSync(new URL("../fixtures/python-program/conversions.py", import.meta.url), "utf8")

const refused = (detail: string) => ({ type: "argument", detail })

/** The function, what it is sent, and what it says of what it was given. */
const converted: ReadonlyArray<readonly [entry: string, sent: Json.Json, given: string]> = [
  ["integer", 3, "3"],
  ["integer", 1e21, "1000000000000000000000"],
  ["number", 3, "3.0"],
  ["number", 0.5, "0.5"],
  ["text", "a", "'a'"],
  ["boolean", true, "True"],
  ["color", "blue", "<Color.BLUE: 'blue'>"],
  ["color", "BLUE", "<Color.BLUE: 'blue'>"],
  ["level", 2, "<Level.HIGH: 2>"],
  ["shape", "LINE", "<Shape.LINE: (0, 1)>"],
  ["point", { x: 1 }, "Point(x=1.0, y=0.0)"],
  ["tree", { name: "a", children: [{ name: "b" }] }, "Tree(name='a', children=[Tree(name='b', children=[])])"],
  ["even", { number: 4, scale: 3 }, "Even(number=4, scaled=12)"],
  ["pair", { left: "red", right: 2 }, "Pair(left=<Color.RED: 'red'>, right=2)"],
  ["pair", ["red"], "Pair(left=<Color.RED: 'red'>, right=None)"],
  ["book", { published: "2024-02-29" }, "{'published': datetime.date(2024, 2, 29)}"],
  ["moment", "2024-02-29T12:30:00", "datetime.datetime(2024, 2, 29, 12, 30)"],
  ["moment", "2024-02-29T12:30:00Z", "datetime.datetime(2024, 2, 29, 12, 30, tzinfo=datetime.timezone.utc)"],
  ["day", "2024-02-29", "datetime.date(2024, 2, 29)"],
  ["clock", "12:30", "datetime.time(12, 30)"],
  ["length", 1.5, "datetime.timedelta(seconds=1, microseconds=500000)"],
  ["identity", "12345678-1234-5678-1234-567812345678", "UUID('12345678-1234-5678-1234-567812345678')"],
  ["exact", "0.1", "Decimal('0.1')"],
  ["exact", 0.1, "Decimal('0.1')"],
  ["part", "1/3", "Fraction(1, 3)"],
  ["path", "/a/b", "'/a/b'PosixPath"],
  ["address", "127.0.0.1", "IPv4Address('127.0.0.1')"],
  ["data", "ä", "b'\\xc3\\xa4'"],
  ["points", [{ x: 1 }, { x: 2, y: 3 }], "[Point(x=1.0, y=0.0), Point(x=2.0, y=3.0)]"],
  ["both", [1, "red"], "(1, <Color.RED: 'red'>)"],
  ["row", [1, 2], "(1.0, 2.0)"],
  ["row", [], "()"],
  ["colors", ["red", "red"], "{<Color.RED: 'red'>}"],
  ["frozen", [1], "frozenset({1})"],
  ["sequence", [1], "[1.0]"],
  ["queue", [1], "deque([1])"],
  ["table", { red: ["2024-02-29"] }, "{<Color.RED: 'red'>: [datetime.date(2024, 2, 29)]}"],
  ["counts", { "1": 2 }, "{1: 2.0}"],
  ["choice", 1, "1"],
  ["choice", "red", "<Color.RED: 'red'>"],
  ["choice", { x: 1 }, "Point(x=1.0, y=0.0)"],
  ["choice", [{ x: 1 }], "[Point(x=1.0, y=0.0)]"],
  ["choice", null, "None"],
  // Of a union, the type that the value has already comes before those that it could be made.
  ["when", "2024-02-29", "'2024-02-29'"],
  ["scalar", true, "True"],
  ["scalar", 1, "1.0"],
  ["scalar", "1", "'1'"],
  ["one_of", true, "True"],
  ["one_of", 1, "1"],
  ["one_of", null, "None"],
  ["anything", { a: [1] }, "{'a': [1]}"],
  ["bare", [1], "(1,)"],
  ["variable", [1], "[1]"],
  ["box", [1], "[1]"],
  [
    "boxed",
    { items: [{ x: 1 }], within: { items: [{ x: 2 }] } },
    "Boxed(items=[Point(x=1.0, y=0.0)], within=Boxed(items=[Point(x=2.0, y=0.0)], within=None))"
  ],
  [
    "inherited",
    { items: [{ x: 1 }], within: { items: [{ x: 2 }] }, name: "n" },
    "Named(items=[Point(x=1.0, y=0.0)], within=Boxed(items=[Point(x=2.0, y=0.0)], within=None), name='n')"
  ],
  [
    "inherited_within",
    { items: [[{ x: 1 }]], first: { x: 2 } },
    "Rows(items=[[Point(x=1.0, y=0.0)]], within=None, first=Point(x=2.0, y=0.0))"
  ],
  ["optional", null, "None"]
]

const mismatched: ReadonlyArray<readonly [entry: string, sent: Json.Json, detail: string]> = [
  ["integer", "3", "a: expected an integer, got a text"],
  ["integer", 0.5, "a: expected an integer, got a number"],
  ["integer", true, "a: expected an integer, got a boolean"],
  ["number", null, "a: expected a number, got null"],
  ["color", "green", "a: expected one of 'red', 'blue'"],
  ["point", {}, "a.x: is missing"],
  ["point", { x: 1, z: 2 }, "a.z: is unknown; expected one of x, y"],
  ["point", [1], "a: expected an object"],
  ["tree", { name: "a", children: [{ name: "b" }, { name: 1 }] }, "a.children[1].name: expected a text, got a number"],
  ["even", { number: 3 }, "a: ValueError: not even"],
  ["moment", "soon", "a: expected datetime, got 'soon'"],
  ["identity", 5, "a: expected UUID, got 5"],
  ["both", [1], "a: expected 2 items, got 1"],
  ["points", [{ x: 1 }, {}], "a[1].x: is missing"],
  ["counts", { one: 2 }, "a.one: the key is no int"],
  ["choice", { y: 1 }, "a.x: is missing"],
  [
    "scalar",
    [1],
    "a: expected a number, got an array or expected a boolean, got an array or expected a text, got an array"
  ],
  ["one_of", "three", "a: expected one of 1, 'two', True, None"]
]

const programs = {
  fork: shareInFile(startPython("fork", conversions)),
  keep: shareInFile(startPython("keep", conversions))
}

describe.skipIf(python === undefined)("python3 is on the path", () => {
  it.scopedLive("arguments become what the annotations ask for", () =>
    Effect.gen(function* () {
      const { call } = yield* programs.keep
      for (const [entry, a, given] of converted) {
        expect([entry, a, said(yield* call({ a }, { entry }))]).toEqual([entry, a, text(given)])
      }
    })
  )

  it.scopedLive("what cannot become it is answered with its place and the reason, and the function does not run", () =>
    Effect.gen(function* () {
      const { call } = yield* programs.keep
      for (const [entry, a, detail] of mismatched) {
        expect([entry, a, said(yield* call({ a }, { entry }))]).toEqual([entry, a, refused(detail)])
      }
    })
  )

  it.scopedLive("what is optional and has no default is None where it is not given; a default of None takes null", () =>
    Effect.gen(function* () {
      const { call } = yield* programs.fork
      expect(said(yield* call({}, { entry: "optional" }))).toEqual(text("None"))
      expect(said(yield* call({}, { entry: "defaulted" }))).toEqual(text("(None, None, 3)"))
      expect(said(yield* call({ a: null, b: "red" }, { entry: "defaulted" }))).toEqual(
        text("(None, <Color.RED: 'red'>, 3)")
      )
    })
  )

  it.scopedLive(
    "an annotation that cannot be evaluated leaves its argument as it is, and the others are converted",
    () =>
      Effect.gen(function* () {
        const { call } = yield* programs.fork
        expect(said(yield* call({ a: 1, c: { x: 1 } }, { entry: "unknown" }))).toEqual(
          text("(1, None, Point(x=1.0, y=0.0))")
        )
      })
  )

  it.scopedLive("decorated functions are given what the function inside asks for", () =>
    Effect.gen(function* () {
      const { call } = yield* startPython(
        "fork",
        `
import functools

def logged(function):
    @functools.wraps(function)
    def inner(**arguments):
        return function(**arguments)
    return inner

@logged
def run(a: float):
    return repr(a)
`
      )
      expect(said(yield* call({ a: 1 }))).toEqual(text("1.0"))
    })
  )
})
