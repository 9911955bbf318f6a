import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { python, raised, said, startPython, text, value } from "./python.js"

/** Each line is a function that returns an expression. */
const script = (expressions: ReadonlyArray<string>): string =>
  `
import collections, datetime, decimal, enum, fractions, ipaddress, pathlib, types, typing, uuid
from dataclasses import dataclass, field

class Color(enum.Enum):
    RED = "red"

class Level(enum.IntEnum):
    LOW = 1

class Shade(str, enum.Enum):
    DARK = "dark"

@dataclass
class Point:
    x: int
    children: list = field(default_factory=list)

class Pair(typing.NamedTuple):
    left: int
    right: Color

class Opaque:
    pass

def generate():
    yield 1
    yield Color.RED

async def later(result):
    return result

async def generate_later():
    yield 1
    yield 2

def holding_itself():
    outer = {"a": []}
    outer["a"].append(outer)
    return outer

def failing():
    yield 1
    raise ValueError("in the midst")

def deep():
    value = []
    for _ in range(100000):
        value = [value]
    return value

class Broken:
    @property
    def __dict__(self):
        raise OSError("no")

@dataclass
class Sour:
    @property
    def x(self):
        raise KeyError("sour")
` + expressions.map((expression, index) => `\ndef f${index}():\n    return ${expression}\n`).join("")

const answers = (cases: ReadonlyArray<readonly [expression: string, answer: unknown]>) =>
  Effect.gen(function* () {
    const { call } = yield* startPython("keep", script(cases.map(([expression]) => expression)))
    for (const [index, [expression, answer]] of cases.entries()) {
      expect([expression, said(yield* call({}, { entry: `f${index}` }))]).toEqual([expression, answer])
    }
  })

const unreadable = (detail: string) => ({ type: "unreadable", detail })

describe.skipIf(python === undefined)("python3 is on the path", () => {
  it.scopedLive("what JSON can say is said", () =>
    answers([
      ["None", { type: "none" }],
      ["'text'", text("text")],
      ["''", text("")],
      ["True", value(true)],
      ["0", value(0)],
      ["-1.5", value(-1.5)],
      ["[1, (2, None), {'a': 'b'}]", value([1, [2, null], { a: "b" }])],
      ["9007199254740991", value(Number.MAX_SAFE_INTEGER)],
      ["[2**53, 2**53 + 1, -2**53]", value([2 ** 53, "9007199254740993", -(2 ** 53)])],
      ["[2**60, 1152921504606847000]", value(["1152921504606846976", 2 ** 60])],
      ["[10**20, 10**21, 1e21]", value([1e20, `1${"0".repeat(21)}`, 1e21])],
      ["{'n': -2**70}", value({ n: "-1180591620717411303424" })],
      ["len(str(10**5000)) if False else {'n': 10**5000}", value({ n: `1${"0".repeat(5000)}` })],
      ["{1: 'a', True and 2.5: 'b', None: 'c', False: 'd'}", value({ "1": "a", "2.5": "b", null: "c", false: "d" })],
      ["{Color.RED: 1, uuid.UUID(int=1): 2}", value({ red: 1, "00000000-0000-0000-0000-000000000001": 2 })],
      ["Color.RED", value("red")],
      ["[Level.LOW, Shade.DARK]", value([1, "dark"])],
      ["Point(1, [Point(2)])", value({ x: 1, children: [{ x: 2, children: [] }] })],
      ["Pair(1, Color.RED)", value({ left: 1, right: "red" })],
      ["types.SimpleNamespace(a=1)", value({ a: 1 })],
      ["types.MappingProxyType({'a': 1})", value({ a: 1 })],
      ["collections.OrderedDict(a=1)", value({ a: 1 })],
      ["collections.deque([1])", value([1])],
      ["collections.UserList([1])", value([1])],
      ["{3, 1, 2}", value([1, 2, 3])],
      ["frozenset(['b', 'a'])", value(["a", "b"])],
      ["range(3)", value([0, 1, 2])],
      ["[{'a': 1}.keys(), map(str, [1]), zip([1], [2])]", value([["a"], ["1"], [[1, 2]]])],
      ["datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.timezone.utc)", value("2024-02-29T12:00:00+00:00")],
      ["[datetime.date(2024, 2, 29), datetime.time(12)]", value(["2024-02-29", "12:00:00"])],
      ["datetime.timedelta(minutes=1)", value(60)],
      ["decimal.Decimal('0.10')", value("0.10")],
      ["fractions.Fraction(1, 3)", value("1/3")],
      ["pathlib.Path('/a')", value("/a")],
      ["ipaddress.ip_address('::1')", value("::1")],
      ["'ä'.encode()", text("ä")],
      ["{'data': bytearray(b'a')}", value({ data: "a" })]
    ])
  )

  it.scopedLive("generators are run to their end, and what can be awaited is", () =>
    answers([
      ["generate()", value([1, "red"])],
      ["later('a')", text("a")],
      ["later(generate())", value([1, "red"])],
      ["generate_later()", value([1, 2])],
      ["later(None)", { type: "none" }],
      ["failing()", raised("ValueError", "in the midst")]
    ])
  )

  it.scopedLive("what JSON cannot say is named with its place", () =>
    answers([
      ["float('nan')", unreadable("the float nan cannot be said in JSON")],
      ["{'a': [1, float('inf')]}", unreadable("the float inf at a[1] cannot be said in JSON")],
      ["decimal.Decimal('NaN')", unreadable("the Decimal NaN cannot be said in JSON")],
      ["[Opaque()]", unreadable("an Opaque at [0] cannot be said in JSON")],
      ["{'a': {'b': Opaque}}", unreadable("the class Opaque at a.b cannot be said in JSON")],
      ["{(1, 2): 3}", unreadable("a key that is a tuple cannot be said in JSON")],
      ["{'a': {1: 2, '1': 3}}", unreadable("an object with two keys '1' at a cannot be said in JSON")],
      ["b'\\xff'", unreadable("bytes that are not UTF-8 cannot be said in JSON")],
      ["holding_itself()", unreadable("a dict that holds itself at a[0] cannot be said in JSON")],
      ["1j", unreadable("a complex cannot be said in JSON")],
      ["len", unreadable("a builtin_function_or_method cannot be said in JSON")],
      ["deep()", unreadable("it is nested too deeply")]
    ])
  )

  it.scopedLive("an exception is its class and what it says; its traceback is the script's alone", () =>
    Effect.gen(function* () {
      const { call } = yield* startPython(
        "fork",
        `
def inner(a):
    raise LookupError("no " + a)

def run(a):
    inner(a)

async def later():
    inner("b")

class Silent(Exception):
    def __str__(self):
        raise OSError

def silent():
    raise Silent()

def recursive():
    return recursive()

def hungry():
    return "x" * (1 << 60)

def interrupted():
    raise KeyboardInterrupt

def odd(b):
    pass
`
      )
      const failed = yield* call({ a: "b" })
      expect(said(failed)).toEqual(raised("LookupError", "no b"))
      expect(failed.error.match(/File "(.*)", line/g)).toEqual(Array(2).fill('File "/nowhere/tool.py", line'))
      expect(failed.error).toMatch(/^Traceback[^]*in run[^]*in inner[^]*LookupError: no b$/)
      const later = yield* call({}, { entry: "later" })
      expect(said(later)).toEqual(raised("LookupError", "no b"))
      expect(later.error.match(/File "(.*)", line/g)).toEqual(Array(2).fill('File "/nowhere/tool.py", line'))
      expect(said(yield* call({}, { entry: "silent" }))).toEqual(raised("Silent", ""))
      expect(said(yield* call({}, { entry: "recursive" }))).toMatchObject(raised("RecursionError", expect.any(String)))
      expect(said(yield* call({}, { entry: "hungry" }))).toMatchObject({ type: "raised", error: "MemoryError" })
      expect(said(yield* call({}, { entry: "interrupted" }))).toEqual(raised("KeyboardInterrupt", ""))
      const odd = yield* call({}, { entry: "odd" })
      expect(said(odd)).toMatchObject({ type: "raised", error: "TypeError" })
      expect(odd.error).not.toContain("File")
    })
  )

  it.scopedLive("an exception whose class tells nothing, or lies, is still one, without what runs the script", () =>
    Effect.gen(function* () {
      for (const mode of ["fork", "keep"] as const) {
        const { call } = yield* startPython(
          mode,
          `
class Hidden(Exception):
    @property
    def __class__(self):
        raise RuntimeError("hostile")

    def with_traceback(self, traceback):
        raise RuntimeError("hostile")

class Named(type):
    @property
    def __name__(cls):
        raise RuntimeError("hostile")

class Nameless(Exception, metaclass=Named):
    pass

class Codeless(SystemExit):
    @property
    def code(self):
        raise RuntimeError("hostile")

class Leaving(Exception):
    def __str__(self):
        raise SystemExit(3)

def hidden():
    raise Hidden("x")

def nameless():
    raise Nameless("x")

def codeless():
    raise Codeless("x")

def leaving():
    raise Leaving()
`
        )
        const hidden = yield* call({}, { entry: "hidden" })
        expect(said(hidden)).toEqual(raised("Hidden", "x"))
        const nameless = yield* call({}, { entry: "nameless" })
        expect(said(nameless)).toEqual(raised("Nameless", "x"))
        const codeless = yield* call({}, { entry: "codeless" })
        expect(said(codeless)).toEqual({ type: "exited", code: 1, signal: null })
        const leaving = yield* call({}, { entry: "leaving" })
        expect(said(leaving)).toEqual(raised("Leaving", ""))
        for (const { error } of [hidden, nameless, codeless, leaving]) expect(error).not.toContain("runtime")
      }
    })
  )
})
