import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { schemasOf } from "./read.js"

const run = (parameters: string, typeParameters = "") =>
  `def run${typeParameters}(${parameters}):\n    """Does it."""\n`

const box = `
from dataclasses import dataclass
from typing import Generic, TypeVar, Union

T = TypeVar("T")
U = TypeVar("U")

@dataclass
class Box(Generic[T]):
    x: T

`

const boxOf = (x: object) => ({
  type: "object",
  properties: { x },
  required: ["x"],
  additionalProperties: false
})

describe("a generic class", () => {
  it.effect("has the types in its brackets, and any where there are none", () =>
    Effect.map(schemasOf(`${box}${run('a: Box[int], b: "Box[Box[str]]", c: Box')}`), ({ problems, schemas }) => {
      expect(schemas).toEqual({
        a: boxOf({ type: "integer" }),
        b: boxOf(boxOf({ type: "string" })),
        c: boxOf({})
      })
      expect(problems).toEqual([])
    })
  )

  it.effect("that contains itself is a definition for each of its types", () =>
    Effect.map(
      schemasOf(`${box}
@dataclass
class Tree(Generic[T]):
    value: T
    children: "list[Tree[T]]"

${run("a: Tree[int], b: Tree[str]")}`),
      ({ definitions, schemas }) => {
        const tree = (name: string, value: object) => ({
          type: "object",
          properties: { value, children: { type: "array", items: { $ref: `#/$defs/${name}` } } },
          required: ["value", "children"],
          additionalProperties: false
        })
        expect(schemas).toEqual({ a: { $ref: "#/$defs/Tree_integer" }, b: { $ref: "#/$defs/Tree_string" } })
        expect(definitions).toEqual({
          Tree_integer: tree("Tree_integer", { type: "integer" }),
          Tree_string: tree("Tree_string", { type: "string" })
        })
      }
    )
  )

  it.effect("gives its fields to what inherits from it, with the types that stand there", () =>
    Effect.map(
      schemasOf(`${box}
@dataclass
class Named(Box[list[U]]):
    name: U

${run("a: Named[int]")}`),
      ({ schemas }) =>
        expect(schemas["a"]).toMatchObject({
          properties: { x: { type: "array", items: { type: "integer" } }, name: { type: "integer" } }
        })
    )
  )

  it.effect("that contains itself with ever other types ends, and is told of", () =>
    Effect.map(
      schemasOf(`${box}
@dataclass
class Grow(Generic[T]):
    left: "list[Grow[list[T]]]"
    right: "list[Grow[dict[str, T]]]"

${run("a: Grow[int]")}`),
      ({ problems }) => {
        expect(problems.map(({ rule }) => rule)).toEqual(["unknown-type", "unknown-type"])
        expect(problems[0]?.message).toContain("it contains itself with ever other types in its brackets")
      }
    )
  )
})

describe("type parameters in brackets", () => {
  it.effect("of a function stand for their bounds", () =>
    Effect.map(
      schemasOf(run("a: X, b: Y, c: list[Z], d: list[X]", "[X: int, Y: (int, str), Z]")),
      ({ problems, schemas }) => {
        expect(schemas).toEqual({
          a: { type: "integer" },
          b: { type: ["integer", "string"] },
          c: { type: "array" },
          d: { type: "array", items: { type: "integer" } }
        })
        expect(problems).toEqual([])
      }
    )
  )

  it.effect("of a class and of an alias stand for what is given, as those of TypeVar do", () =>
    Effect.map(
      schemasOf(`${box}
@dataclass
class Slot[A]:
    x: A

type Row[A] = list[A]
Many = Union[T, list[T]]

${run("a: Slot[int], b: Row[str], c: Many[int], d: Row")}`),
      ({ problems, schemas }) => {
        expect(schemas).toEqual({
          a: boxOf({ type: "integer" }),
          b: { type: "array", items: { type: "string" } },
          c: { anyOf: [{ type: "integer" }, { type: "array", items: { type: "integer" } }] },
          d: { type: "array" }
        })
        expect(problems).toEqual([])
      }
    )
  )
})

it.effect("types that name each other twice, over many classes, are referred to when they become large", () =>
  Effect.map(
    schemasOf(
      [
        "from dataclasses import dataclass",
        "@dataclass\nclass C0:\n    a: int",
        ...Array.from({ length: 40 }, (_, of) => `@dataclass\nclass C${of + 1}:\n    a: C${of}\n    b: C${of}`),
        run("a: C40")
      ].join("\n")
    ),
    ({ definitions, schemas }) => {
      expect(JSON.stringify([schemas, definitions]).length).toBeLessThan(100_000)
      expect(Object.keys(definitions ?? {}).length).toBeGreaterThan(1)
    }
  )
)

describe("the default of a type parameter (PEP 696)", () => {
  it.effect("is what it stands for where nothing else is said", () =>
    Effect.map(
      schemasOf(`# 😀
from dataclasses import dataclass

@dataclass
class Box[T = str, U: (int, str) = int]:
    x: T
    y: U

type Many[T = bool] = list[T]

${run("a: Box, b: Box[bool, int], c: Many, d: V, e: unknown", "[V = list[int], W: object = None]")}`),
      ({ problems, schemas }) => {
        const boxed = (x: object, y: object) => ({
          type: "object",
          properties: { x, y },
          required: ["x", "y"],
          additionalProperties: false
        })
        const either = { type: ["integer", "string"] }
        expect(schemas).toEqual({
          a: boxed({ type: "string" }, either),
          b: boxed({ type: "boolean" }, { type: "integer" }),
          c: { type: "array", items: { type: "boolean" } },
          d: { type: "array", items: { type: "integer" } },
          e: {}
        })
        expect(problems).toMatchObject([{ rule: "unknown-type", at: "11:87" }])
      }
    )
  )

  it.effect("cannot be read where the parameter stands for several types", () =>
    Effect.map(schemasOf(run("a: int", "[*Ts = *tuple[int, str]]")), ({ problems }) =>
      expect(problems).toMatchObject([
        {
          rule: "unsupported-syntax",
          at: "1:9",
          message:
            "The default of `*Ts`, a type parameter that stands for several types, cannot be read yet; leave the default out"
        }
      ])
    )
  )
})
