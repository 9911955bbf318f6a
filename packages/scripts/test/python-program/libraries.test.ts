/**
 * Values of libraries that scripts often have. Where a library is not there, it
 * is said in the title of what is skipped.
 */
import { spawnSync } from "node:child_process"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { shareInFile } from "../shareInFile.js"
import { python, said, startPython, text, value } from "./python.js"

const libraries = ["pydantic", "numpy"]

/** Those that are there: to import one takes longer than to find it. */
const found =
  python === undefined
    ? ""
    : spawnSync(
        python,
        ["-c", "import sys, importlib.util as u; print(*[n for n in sys.argv[1:] if u.find_spec(n)])", ...libraries],
        { encoding: "utf8" }
      ).stdout

const has = (library: string): boolean => found.split(/\s+/).includes(library)

describe.skipIf(!has("pydantic"))("python3 has pydantic", () => {
  const script = `
from typing import List, Optional
from pydantic import BaseModel, ConfigDict, Field, HttpUrl, SecretStr, field_validator
import datetime

class Author(BaseModel):
    name: str
    born: Optional[datetime.date] = None

class Book(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    title: str = Field(alias="bookTitle")
    authors: List[Author] = []

    @field_validator("title")
    @classmethod
    def is_long(cls, title):
        assert len(title) > 2, "too short"
        return title

def run(a: Book):
    return a

def shown(a: List[Book]):
    return repr(a[0])

def special(a: HttpUrl, b: SecretStr):
    return [a, b.get_secret_value()]
`

  const program = shareInFile(startPython("fork", script))

  it.scopedLive("models are made of arguments and said as they say themselves", () =>
    Effect.gen(function* () {
      const { call } = yield* program
      const book = { bookTitle: "Emma", authors: [{ name: "Jane", born: "1775-12-16" }] }
      expect(said(yield* call({ a: book }))).toEqual(value(book))
      expect(said(yield* call({ a: [book] }, { entry: "shown" }))).toEqual(
        text("Book(title='Emma', authors=[Author(name='Jane', born=datetime.date(1775, 12, 16))])")
      )
      expect(said(yield* call({ a: "https://example.com/a", b: "hidden" }, { entry: "special" }))).toEqual(
        value(["https://example.com/a", "hidden"])
      )
    })
  )

  it.scopedLive("what a model refuses is told with its place", () =>
    Effect.gen(function* () {
      const { call } = yield* program
      const refused = (detail: string) => ({ type: "argument", detail })
      expect(said(yield* call({ a: { bookTitle: "Emma", authors: [{}] } }))).toEqual(
        refused("a.authors[0].name: Field required")
      )
      expect(said(yield* call({ a: [{ bookTitle: "Em" }] }, { entry: "shown" }))).toEqual(
        refused("a[0].bookTitle: Assertion failed, too short")
      )
    })
  )
})

describe.skipIf(!has("numpy"))("python3 has numpy", () => {
  const script = `
import os
import numpy

loader = os.getpid()

def run():
    return {"array": numpy.arange(4).reshape(2, 2), "number": numpy.float64(0.5), "whole": numpy.int64(3), "flag": numpy.bool_(True)}

def nan():
    return numpy.array([1.0, float("nan")])

def chance():
    return numpy.random.rand()

def product():
    matrix = numpy.ones((400, 400))
    return [float((matrix @ matrix)[0, 0]), os.getppid() == loader]
`

  const program = shareInFile(startPython("fork", script))

  it.scopedLive("arrays and numbers of numpy are JSON's", () =>
    Effect.gen(function* () {
      const { call } = yield* program
      expect(said(yield* call())).toEqual(
        value({
          array: [
            [0, 1],
            [2, 3]
          ],
          number: 0.5,
          whole: 3,
          flag: true
        })
      )
      expect(said(yield* call({}, { entry: "nan" }))).toEqual({
        type: "unreadable",
        detail: "the float nan at [1] cannot be said in JSON"
      })
    })
  )

  it.scopedLive("each forked child has random numbers of its own, and multiplies with threads of its own", () =>
    Effect.gen(function* () {
      const { call } = yield* program
      const drawn = new Set<string>()
      for (let round = 0; round < 3; round++) drawn.add(JSON.stringify(said(yield* call({}, { entry: "chance" }))))
      expect(drawn.size).toBe(3)
      expect(said(yield* call({}, { entry: "product" }))).toEqual(value([400, true]))
    })
  )
})
