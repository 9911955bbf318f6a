import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { JsonSchema } from "@wield/core"
import { fixture, read, schemasOf } from "./read.js"

const imports = `from typing import *
from pydantic import BaseModel, ConfigDict, Field, PositiveInt
from dataclasses import dataclass, field
from enum import Enum, StrEnum, auto
`

const run = (parameters: string, before = "") => `${imports}${before}
def run(${parameters}):
    """Does it."""
`

it.effect("every type becomes the schema that the golden file has", () =>
  Effect.map(read(fixture("every_type.py"), "tool", "every_type.py"), ({ functions, problems }) => {
    expect(problems).toEqual([])
    expect(functions[0]?.inputSchema).toEqual(JSON.parse(fixture("every_type.json")))
  })
)

it.effect("the schema of every type compiles", () =>
  Effect.gen(function* () {
    const { functions } = yield* read(fixture("every_type.py"), "tool", "every_type.py")
    const compiled = yield* JsonSchema.compile(functions[0]?.inputSchema ?? {})
    expect(compiled).toBeDefined()
  })
)

it.effect("what is said of a value comes before what its type says, each a sentence", () =>
  Effect.gen(function* () {
    const before = "from datetime import timedelta\nPause = Annotated[timedelta, 'A pause']\n"
    const parameters = `a: Annotated[timedelta, "Waits"], b: timedelta, c: Annotated[timedelta, Field(description="Waits!")], d: Annotated[timedelta | None, "Waits"], e: Annotated[Pause, "Waits"]`
    const text = run(parameters, before).replace("Does it.", "Does it.\n\n    Args:\n        b: The b\n    ")
    const { schemas } = yield* schemasOf(text)
    expect(Object.values(schemas).map((schema) => schema["description"])).toEqual([
      "Waits. In seconds",
      "The b. In seconds",
      "Waits! In seconds",
      "Waits. In seconds",
      "Waits. A pause. In seconds"
    ])
  })
)

describe("constraints", () => {
  it.effect("of Field in Annotated and in place of a default are told", () =>
    Effect.map(
      schemasOf(
        run(
          `a: Annotated[int, Field(description="How many", ge=1, lt=10, multiple_of=2)],
    b: Annotated[str, Field(min_length=1, max_length=5, pattern=r"^(?P<head>\\w)")] = "x",
    c: Annotated[list[str], Field(min_length=1)] = [],
    d: str = Field(default="y", title="D"),
    e: list[int] = Field(default_factory=list),
    f: PositiveInt = 1,
    g: Annotated[int | None, "Or none"] = None`
        )
      ),
      ({ problems, required, schemas }) => {
        expect(problems).toEqual([])
        expect(required).toEqual(["a"])
        expect(schemas).toEqual({
          a: { type: "integer", description: "How many", minimum: 1, exclusiveMaximum: 10, multipleOf: 2 },
          b: { type: "string", minLength: 1, maxLength: 5, pattern: "^(?<head>\\w)", default: "x" },
          c: { type: "array", items: { type: "string" }, minItems: 1, default: [] },
          d: { type: "string", title: "D", default: "y" },
          e: { type: "array", items: { type: "integer" }, default: [] },
          f: { type: "integer", exclusiveMinimum: 0, default: 1 },
          g: { type: ["integer", "null"], description: "Or none", default: null }
        })
      }
    )
  )

  it.effect("that JSON Schema cannot say are reported", () =>
    Effect.map(schemasOf(run(`a: Annotated[str, Field(pattern=r"(?i)x\\Z", ge=LOWEST)]`)), ({ problems, schemas }) => {
      expect(schemas).toEqual({ a: { type: "string" } })
      expect(problems.map(({ at, rule, subject }) => [rule, at, subject])).toEqual([
        ["lost-constraint", "6:27", "run.a"],
        ["lost-constraint", "6:56", "run.a"]
      ])
    })
  )
})

describe("models", () => {
  it.effect("of pydantic have their fields, aliases, bases and whether they are closed", () =>
    Effect.map(
      schemasOf(
        run(
          "a: Order, b: Base",
          `
class Base(BaseModel):
    id: int
    model_config = ConfigDict(extra="forbid")
    _secret: int = 3

class Order(Base):
    """An order."""
    amount: float = Field(gt=0, description="In euros")
    note: Optional[str]
    ship_to: str = Field(alias="shipTo")
    made: str = Field(default_factory=now)
    count: int = Field(...)
`
        )
      ),
      ({ problems, required, schemas }) => {
        expect(problems).toEqual([])
        expect(required).toEqual(["a", "b"])
        expect(schemas).toEqual({
          a: {
            type: "object",
            description: "An order.",
            properties: {
              id: { type: "integer" },
              amount: { type: "number", exclusiveMinimum: 0, description: "In euros" },
              note: { type: ["string", "null"] },
              shipTo: { type: "string" },
              made: { type: "string" },
              count: { type: "integer" }
            },
            required: ["id", "amount", "note", "shipTo", "count"],
            additionalProperties: false
          },
          b: {
            type: "object",
            properties: { id: { type: "integer" } },
            required: ["id"],
            additionalProperties: false
          }
        })
      }
    )
  )

  it.effect("that contain each other are definitions, and no others are", () =>
    Effect.map(
      schemasOf(
        run(
          "a: Person, b: Plain, c: Optional[Team] = None",
          `
@dataclass
class Plain:
    x: int
@dataclass
class Person:
    team: "Team"
    plain: Plain
@dataclass
class Team:
    members: list[Person]
`
        )
      ),
      ({ definitions, problems, schemas }) => {
        const plain = {
          type: "object",
          properties: { x: { type: "integer" } },
          required: ["x"],
          additionalProperties: false
        }
        const team = {
          type: "object",
          properties: { members: { type: "array", items: { $ref: "#/$defs/Person" } } },
          required: ["members"],
          additionalProperties: false
        }
        expect(problems).toEqual([])
        expect(schemas).toEqual({
          a: { $ref: "#/$defs/Person" },
          b: plain,
          c: { anyOf: [team, { type: "null" }], default: null }
        })
        expect(definitions).toEqual({
          Person: {
            type: "object",
            properties: { team, plain },
            required: ["team", "plain"],
            additionalProperties: false
          }
        })
      }
    )
  )

  it.effect("take `type` statements, TypeVar bounds and enumerations whose values are automatic", () =>
    Effect.map(
      schemasOf(
        run(
          "a: Names, b: Kind, c: T, d: Mixed",
          `
type Names = list[Name]
type Name = str
T = TypeVar("T", bound="Names")
class Kind(StrEnum):
    ONE = auto()
    Two = auto()
class Mixed(str, Enum):
    ONE = auto()
`
        )
      ),
      ({ problems, schemas }) => {
        expect(problems).toEqual([])
        expect(schemas).toEqual({
          a: { type: "array", items: { type: "string" } },
          b: { type: "string", enum: ["one", "two"] },
          c: { type: "array", items: { type: "string" } },
          d: { type: "string", enum: ["ONE"] }
        })
      }
    )
  )
})

describe("an unknown type", () => {
  it.effect("lets any value in and is named with its place", () =>
    Effect.map(
      schemasOf(`import somewhere
from elsewhere import str

class Plain:
    pass

def run(
    a: somewhere.Thing,
    é: list[Callable[[int], int]],
    b: "Missing[int]",
    c: Plain,
    d: str,
    e: "not a type",
    f: 1 + 2,
    g: list[Missing] = [],
):
    """Does it."""
`),
      ({ problems, schemas }) => {
        expect(schemas).toEqual({
          a: {},
          é: { type: "array" },
          b: {},
          c: {},
          d: {},
          e: {},
          f: {},
          g: { type: "array", default: [] }
        })
        expect(problems.map(({ at, message, rule, severity }) => [severity, rule, at, message.split(";")[0]])).toEqual([
          ["warning", "unknown-type", "8:8", unknown("somewhere.Thing", "a")],
          ["warning", "unknown-type", "9:13", unknown("Callable", "é")],
          ["warning", "unknown-type", "10:8", unknown("Missing", "b")],
          ["warning", "unknown-type", "11:8", unknown("Plain", "c")],
          ["warning", "unknown-type", "12:8", unknown("str", "d")],
          ["warning", "unknown-type", "13:8", unknown('"not a type"', "e")],
          ["warning", "unknown-type", "14:8", unknown("1 + 2", "f")],
          ["warning", "unknown-type", "15:13", unknown("Missing", "g")]
        ])
      }
    )
  )

  const unknown = (type: string, parameter: string) =>
    `The type \`${type}\` of run.${parameter} is not known, so any value is accepted`

  it.effect("of a model's field is named by model and field, once", () =>
    Effect.map(schemasOf(run("a: Plain, b: Plain", "@dataclass\nclass Plain:\n    x: Missing\n")), ({ problems }) =>
      expect(problems.map(({ at, subject }) => [at, subject])).toEqual([["7:8", "Plain.x"]])
    )
  )
})

describe("a default", () => {
  it.effect("that is no literal makes the parameter optional, and says what it is", () =>
    Effect.map(
      schemasOf(run("a: float = time(), b: int = 60 * time(), c: str = f'{x}'")),
      ({ problems, required, schemas }) => {
        expect(required).toEqual([])
        expect(schemas).toEqual({ a: { type: "number" }, b: { type: "integer" }, c: { type: "string" } })
        expect(problems.map(({ at, message, rule }) => [rule, at, message.split(",")[0]])).toEqual([
          ["default-not-literal", "6:20", "The default of run.a is known only when it runs (the call `time()`)"],
          [
            "default-not-literal",
            "6:37",
            "The default of run.b is known only when it runs (the expression `60 * time()`)"
          ],
          [
            "default-not-literal",
            "6:61",
            "The default of run.c is known only when it runs (the value `{x}` in an f-string)"
          ]
        ])
      }
    )
  )

  it.effect("that is computed of numbers, texts and constants is told, as Python computes it", () =>
    Effect.map(
      schemasOf(
        run(
          "a: int = 60 * MINUTE, b: int = -MINUTE, c: int = 1 << 20, d: str = NAME + 'b', e: int = -7 // 2, f: int = -7 % 3, g: float = 1 / 4, h: str = '-' * 3, i: int = (2 + 3) ** 2, j: int = ~0, k: float = HALF * 3",
          "MINUTE = 60\nNAME = 'a'\nHALF = 0.5\n"
        )
      ),
      ({ problems, schemas }) => {
        expect(Object.values(schemas).map((schema) => schema["default"])).toEqual([
          3600,
          -60,
          1_048_576,
          "ab",
          -4,
          2,
          0.25,
          "---",
          25,
          -1,
          1.5
        ])
        expect(problems).toEqual([])
      }
    )
  )

  it.effect("that cannot be computed, is too large or changes is not told", () =>
    Effect.map(
      schemasOf(
        run(
          "a: int = 1 // 0, b: int = 10 ** 400, c: int = 1 << 2 ** 40, d: str = 'x' * 10 ** 9, e: int = SELF, f: int = TWICE + 1, g: str = 'a' + 1, h: int = 1.5 << 1",
          "SELF = SELF + 1\nTWICE = 1\nTWICE = 2\n"
        )
      ),
      ({ problems, schemas }) => {
        expect(Object.values(schemas).filter((schema) => "default" in schema)).toEqual([])
        expect(problems.map(({ rule }) => rule)).toEqual(Array(8).fill("default-not-literal"))
      }
    )
  )

  it.effect("gives a parameter without any other type its own, and the advice names that", () =>
    Effect.map(
      schemasOf(run("a=10, b='x', c=True, d=0.5, e=[], f={}, g=None, h=(1,), i=TWO * 3, j=time()", "TWO = 2.0\n")),
      ({ problems, schemas }) => {
        expect(schemas).toEqual({
          a: { type: "integer", default: 10 },
          b: { type: "string", default: "x" },
          c: { type: "boolean", default: true },
          d: { type: "number", default: 0.5 },
          e: { type: "array", default: [] },
          f: { type: "object", default: {} },
          g: { default: null },
          h: {},
          i: { type: "number", default: 6 },
          j: {}
        })
        expect(
          problems.filter(({ rule }) => rule === "missing-type").map(({ message }) => /`(.*)`$/.exec(message)?.[1])
        ).toEqual([
          "a: int",
          "b: str",
          "c: bool",
          "d: float",
          "e: list",
          "f: dict",
          "g: str | None",
          "h: tuple",
          "i: float",
          "j: str"
        ])
      }
    )
  )

  it.effect("that a name stands for is told only where the name is bound once, to a scalar", () =>
    Effect.map(
      schemasOf(run("a: int = ONCE, b: int = TWICE, c: list = LIST", "ONCE = 1\nTWICE = 1\nTWICE += 1\nLIST = []\n")),
      ({ problems, schemas }) => {
        expect(schemas).toEqual({ a: { type: "integer", default: 1 }, b: { type: "integer" }, c: { type: "array" } })
        expect(problems.map(({ subject }) => subject)).toEqual(["run.b", "run.c"])
      }
    )
  )

  it.effect("that JSON would change is left to Python where no type changes it back", () =>
    Effect.map(schemasOf(run("a: Any = (1, 2), b: Any = {1}, c: Any = [1]")), ({ problems, required, schemas }) => {
      expect(schemas).toEqual({ a: {}, b: {}, c: { default: [1] } })
      expect(required).toEqual([])
      expect(problems).toEqual([])
    })
  )
})
