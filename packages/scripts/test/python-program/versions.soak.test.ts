import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { findPython, said, startPython, value } from "./python.js"

const versions = ["3.8", "3.9", "3.10", "3.11", "3.12", "3.13"].map((version) => ({
  version,
  command: findPython(`python${version}`)
}))

/** What each version has and the one before has not, where it has it. */
const script = `
import datetime, enum, os, sys, threading, time
from dataclasses import dataclass, field
from typing import Dict, List, Optional

class Color(enum.Enum):
    RED = "red"

if sys.version_info >= (3, 9):
    from typing import Annotated
    Names = list[Annotated[str, ["a name"]]]
else:
    Names = List[str]
if sys.version_info >= (3, 10):
    Count = int | None
else:
    Count = Optional[int]
if sys.version_info >= (3, 12):
    exec("type Table = dict[str, list[Color]]\\ntype Pair[T] = tuple[T, T]")
else:
    Table = Dict[str, List[Color]]

@dataclass
class Tree:
    color: Color
    children: "List[Tree]" = field(default_factory=list)

def run(names: Names, count: Count, tree: Tree, at: datetime.datetime, table: "Table" = None):
    print(repr([names, count, tree, at, table]))
    return [tree, at, 2**60, {Color.RED}]

def stay():
    global kept
    kept = True

def is_kept():
    return "kept" in globals()

def leave():
    sys.exit("gone")

def crash():
    os.kill(os.getpid(), 11)

async def later():
    yield 1
`

describe.each(versions)("a Python of version $version", ({ command, version }) => {
  const missing = command === undefined ? ` (there is no python${version} on the path)` : ""

  describe.skipIf(command === undefined)(`serves calls${missing}`, () => {
    for (const mode of ["fork", "keep", "once"] as const) {
      it.scopedLive(`in the mode ${mode}`, () =>
        Effect.gen(function* () {
          const options = command === undefined ? {} : { command }
          const { call } = yield* startPython(mode, script, options)
          const called = yield* call({
            names: ["a"],
            tree: { color: "red", children: [{ color: "red" }] },
            at: "2024-02-29T12:30:00Z",
            table: { a: ["red"] }
          })
          const tree = { color: "red", children: [{ color: "red", children: [] }] }
          expect(called).toMatchObject({
            error: "",
            answer: { answer: value([tree, "2024-02-29T12:30:00+00:00", "1152921504606846976", ["red"]]) }
          })
          expect(called.output).toMatch(
            /^\[\['a'\], None, Tree\(.*Tree\(.*\)\]\), datetime.datetime\(.*\{'a': \[<Color.RED: 'red'>\]\}\]\n$/
          )
          if (mode === "once") return
          expect(said(yield* call({}, { entry: "later" }))).toEqual(value([1]))
          const left = yield* call({}, { entry: "leave" })
          expect([said(left), left.error]).toEqual([{ type: "exited", code: 1, signal: null }, "gone"])
          yield* call({}, { entry: "stay" })
          expect(said(yield* call({}, { entry: "is_kept" }))).toEqual(value(mode === "keep"))
          const crashed = said(yield* call({}, { entry: "crash" }))
          expect(crashed).toMatchObject(
            mode === "keep" ? { type: "ended" } : { type: "exited", code: null, signal: "SIGSEGV" }
          )
        })
      )
    }

    it.scopedLive("where importing has started a thread", () =>
      Effect.gen(function* () {
        const text = `${script}\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n`
        const { call } = yield* startPython("fork", text, command === undefined ? {} : { command })
        for (let round = 0; round < 2; round++) {
          expect(said(yield* call({}, { entry: "is_kept" }))).toEqual(value(false))
          yield* call({}, { entry: "stay" })
        }
      })
    )
  })
})
