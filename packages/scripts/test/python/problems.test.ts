import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { read } from "./read.js"

/** As a compiler would say them. */
const problemsOf = (text: string, kind: "tool" | "agent" = "tool") =>
  Effect.map(read(text, kind), ({ functions, problems }) => ({
    functions: functions.map(({ name }) => name),
    problems: problems.map(
      ({ message, place, rule, severity }) =>
        `${place === undefined ? "" : `${place.line}:${place.column} `}${severity} ${rule}: ${message}`
    )
  }))

describe("a parameter that a model cannot give by name", () => {
  it.effect.each([
    [
      "*args",
      "1:9 error unsupported-parameter: *args/**kwargs/positional-only parameters are not supported in tool functions: in place of `*args` declare a list, `args: list[str]`"
    ],
    [
      "*args: int",
      "1:9 error unsupported-parameter: *args/**kwargs/positional-only parameters are not supported in tool functions: in place of `*args` declare a list, `args: list[str]`"
    ],
    [
      "**kwargs",
      "1:9 error unsupported-parameter: *args/**kwargs/positional-only parameters are not supported in tool functions: in place of `**kwargs` name each parameter, or declare `kwargs: dict[str, Any]`"
    ],
    [
      "a: int, /, b: int",
      "1:9 error unsupported-parameter: *args/**kwargs/positional-only parameters are not supported in tool functions: `a: int` stands before `/`; take the `/` out"
    ]
  ])("is refused: %s", ([parameters, problem]) =>
    Effect.map(problemsOf(`def run(${parameters}):\n    """Does it."""\n`), (result) =>
      expect(result).toEqual({ functions: [], problems: [problem] })
    )
  )

  it.effect("is told beside what is lost of the others", () =>
    Effect.map(problemsOf(`def run(a: Town, *names, b):\n    """Does it."""\n`), ({ problems }) =>
      expect(problems.map((problem) => problem.split(":").slice(0, 2).join(":"))).toEqual([
        "1:12 warning unknown-type",
        "1:18 error unsupported-parameter",
        "1:26 warning missing-type"
      ])
    )
  )

  it.effect("leaves the other functions of an agent", () =>
    Effect.map(
      problemsOf(`def one(*a):\n    """Does it."""\ndef two(*, b: int):\n    """Does it."""\n`, "agent"),
      ({ functions, problems }) => {
        expect(functions).toEqual(["two"])
        expect(problems).toHaveLength(1)
      }
    )
  )
})

describe("a tool file without `def run`", () => {
  it.effect.each([
    [
      "def rum():\n    '''Does it.'''\n",
      "error no-run: The file has no function `run`; it has `rum`. Rename `rum`, or write `def run(...)`"
    ],
    [
      "x = 1\n",
      "error no-run: The file has no function `run`; it has no function at its top level. Write `def run(...)`"
    ],
    ["run = lambda x: x\n", "1:1 error no-run: `run` is a value here; write it as a function, `def run(...)`"],
    [
      "from other import run\n",
      "error no-run: `run` is imported from another module, whose source is not read here; write it as a function, `def run(...)`"
    ],
    ["class run:\n    pass\n", "1:1 error no-run: `run` is a class here; write it as a function, `def run(...)`"],
    [
      "if __name__ == '__main__':\n    def run():\n        '''Does it.'''\n",
      "error no-run: The file has no function `run`; it has no function at its top level. Write `def run(...)`"
    ],
    [
      "class A:\n    def run(self):\n        '''Does it.'''\n",
      "error no-run: The file has no function `run`; it has no function at its top level. Write `def run(...)`"
    ]
  ])("says what to do: %j", ([text, problem]) =>
    Effect.map(problemsOf(text), (result) => expect(result).toEqual({ functions: [], problems: [problem] }))
  )
})

describe("a syntax error", () => {
  it.effect.each([
    ["def run(a b):\n    '''Does it.'''\n", "1:11 error syntax-error: Unexpected `b`"],
    ["def run(a):\n    '''Does it.'''\n    return [1\n", "3:12 error syntax-error: `[` is never closed"],
    ["x = 'é😀' +\n", "1:1 error syntax-error: `x = 'é😀' +` is not complete"],
    ["def run():\n", "1:11 error syntax-error: Expected an indented block here"],
    [
      "def run():\n    '''Does it.'''\n    print 'a'\n",
      "3:5 error syntax-error: `print 'a'` is Python 2; write print(...)"
    ]
  ])("is said with its place: %j", ([text, problem]) =>
    Effect.map(problemsOf(text), (result) =>
      expect(result).toEqual({
        functions: [],
        problems: [`${problem}; the file is no Python and cannot be imported`]
      })
    )
  )
})

describe("descriptions", () => {
  it.effect("are required: a docstring that is missing, formatted or without a text is an error", () =>
    Effect.map(
      problemsOf(
        `def one():\n    return 1\ndef two():\n    f"""Does it."""\ndef three(a: int):\n    """\n    Args:\n        a: A number\n    """\n`,
        "agent"
      ),
      (result) =>
        expect(result).toEqual({
          functions: [],
          problems: [
            "1:5 error missing-description: one has no docstring; say in it what the tool does, for the model reads it",
            "3:5 error missing-description: two has no docstring; say in it what the tool does, for the model reads it",
            "6:5 error missing-description: The docstring of three does not say what the tool does; begin it with a sentence that does"
          ]
        })
    )
  )

  it.effect("of what is no parameter, and of parameters that only the docstring calls optional, are warned of", () =>
    Effect.map(
      problemsOf(
        `def run(city: str):\n    """Does it.\n\n    Args:\n        citi (str, optional): Where\n        city (str, optional): Where\n    """\n`
      ),
      (result) =>
        expect(result).toEqual({
          functions: ["weather"],
          problems: [
            "1:9 warning optional-without-default: The docstring calls run.city optional, but the function cannot be called without it; give it a default",
            "2:5 warning unknown-parameter: The docstring of run describes `citi`, which is no parameter (did you mean `city`?); models do not read this"
          ]
        })
    )
  )
})

describe("functions of an agent", () => {
  it.effect("are those of the module itself that are public, decorated and asynchronous ones too", () =>
    Effect.map(
      problemsOf(
        `
import functools
from typing import TYPE_CHECKING, overload
from other import imported

@functools.cache
def decorated():
    """Does it."""

async def asynchronous():
    """Does it."""

def _private():
    """Does it."""

class A:
    def method(self):
        """Does it."""

if TYPE_CHECKING:
    def hidden():
        """Does it."""

try:
    def either():
        """Does it."""
except ImportError:
    def either():
        """Does it."""

@overload
def many(a: int): ...
@overload
def many(a: str): ...
def many(a: int | str):
    """Does it."""

value = lambda: 1
`,
        "agent"
      ),
      (result) => expect(result).toEqual({ functions: ["decorated", "asynchronous", "either", "many"], problems: [] })
    )
  )

  it.effect("of one name: the last is the tool, as in Python, and the others are warned of", () =>
    Effect.map(
      read(`def a():\n    """One."""\ndef a(x: int):\n    """Two."""\n`, "agent"),
      ({ functions, problems }) => {
        expect(functions.map(({ description, name }) => [name, description])).toEqual([["a", "Two."]])
        expect(problems.map(({ message, place, rule, severity }) => [severity, rule, place, message])).toEqual([
          [
            "warning",
            "repeated-function",
            { line: 1, column: 1 },
            "a is defined again in line 3, which replaces this one; remove one of them"
          ]
        ])
      }
    )
  )

  it.effect("are missing where a file has none that is public", () =>
    Effect.map(problemsOf("def _a():\n    pass\n", "agent"), ({ functions, problems }) => {
      expect(functions).toEqual([])
      expect(problems).toEqual([
        "error no-function: The file has no public function; each function at its top level whose name does not begin with `_` is a tool"
      ])
    })
  )
})

it.effect("columns are counted in UTF-16 units from 1, lines of every kind from 1", () =>
  Effect.map(problemsOf('x = "é😀"; run = 1\r\n'), ({ problems }) =>
    expect(problems).toEqual(["1:12 error no-run: `run` is a value here; write it as a function, `def run(...)`"])
  )
)

describe("a type that is used without its import", () => {
  const rulesOf = (text: string) => Effect.map(problemsOf(text), ({ problems }) => problems)
  const run = (type: string) => `def run(a: ${type}):\n    """Does it."""\n`

  it.effect.each([
    ["Optional[int]", "`from typing import Optional`", "Optional"],
    ["list[Literal[1]]", "`from typing import Literal`", "Literal"],
    ["deque[int]", "`from collections import deque`", "deque"],
    ["typing.Any", "`import typing`", "typing"],
    ["datetime.date", "`import datetime`", "datetime"]
  ])("is told with the line that is missing: %s", ([type, line, name]) =>
    Effect.map(rulesOf(run(type)), (problems) => {
      expect(problems).toHaveLength(1)
      expect(problems[0]).toContain(
        `warning missing-import: \`${name}\` is not imported, and so Python cannot load the file: write ${line} at its top; the type of run.a needs it`
      )
    })
  )

  it.effect.each([
    run("list[int] | None"),
    run("'Optional[int]'"),
    `from typing import *\n${run("Optional[int]")}`,
    `import typing as t\n${run("t.Optional[int]")}`,
    `from collections.abc import Sequence\n${run("Sequence[int]")}`,
    'def run(a):\n    """Does it.\n\n    Args:\n        a (Optional[int]): What\n    """\n'
  ])("is not told of what Python finds, or never looks up: %s", (text) =>
    Effect.map(rulesOf(text), (problems) => expect(problems).toEqual([]))
  )
})

describe("names that stand for one another", () => {
  it.effect("are any value where nothing is in between", () =>
    Effect.gen(function* () {
      const text = [
        "type A = B",
        "type B = A | int",
        "type Tree = list[Tree] | str",
        "def run(a: A, tree: Tree):",
        '    """Does."""'
      ].join("\n")
      const { functions, problems } = yield* read(text)
      expect(problems.map(({ message, rule }) => `${rule}: ${message}`)).toEqual([
        "circular-type: The type `A` is nothing but itself, so any value is accepted; put a list or the field of a class in between"
      ])
      expect(functions[0]?.inputSchema["$defs"]).toEqual({
        Tree: { anyOf: [{ type: "array", items: { $ref: "#/$defs/Tree" } }, { type: "string" }] }
      })
    })
  )

  it.effect("are not computed where each names another twice over many levels", () =>
    Effect.gen(function* () {
      const doubled = Array.from({ length: 45 }, (_, index) => `A${index + 1} = A${index} * A${index}`)
      const text = ["A0 = 1 << 1024", ...doubled, "def run(x: int = A45):", '    """Does."""'].join("\n")
      const { functions, problems } = yield* read(text)
      expect(functions[0]?.inputSchema["properties"]).toEqual({ x: { type: "integer" } })
      expect(problems.map(({ rule }) => rule)).toEqual(["default-not-literal"])
    })
  )
})
