/** The `.env` of a folder of scripts, as it may be. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { shareInFile } from "../shareInFile.js"
import { makeExecutor } from "./scripts.js"

const tells =
  "import os\ndef run():\n  return {name: value for name, value in os.environ.items() if name.startswith(('A', '__', '1'))}\n"

const usual = shareInFile(makeExecutor({ workers: { size: 1 } }))

let count = 0

/** What a script of a new folder finds, in which a `.env` was made. */
const readMade = (make: (path: string) => void) =>
  Effect.gen(function* () {
    const { run, tools } = yield* usual
    const folder = join(tools, `${count++}`)
    mkdirSync(folder)
    make(join(folder, ".env"))
    return yield* run("python", tells, {}, { folder })
  })

const read = (content: string) => readMade((path) => writeFileSync(path, content))

it.scopedLive("quotes, export, comments, lines within quotes and line ends of Windows are understood", () =>
  Effect.gen(function* () {
    const content = "# c\r\nA1='a # b'\r\nexport A2=\"two\nlines\"\r\nA3=plain # c\r\nA4=$A1\r\nA1='again'\r\n"
    expect(yield* read(content)).toEqual({ A1: "again", A2: "two\nlines", A3: "plain", A4: "$A1" })
  })
)

it.scopedLive("a byte order mark is no part of the first name, and what is no name is left out", () =>
  Effect.gen(function* () {
    expect(yield* read("\uFEFFA1=1\nA 2=2\n1A=3\nA4=a\0b\nA-5=5\nA6=6\n")).toEqual({ A1: "1", A6: "6" })
  })
)

it.scopedLive("a line that sets nothing is left out, and takes no other with it", () =>
  Effect.gen(function* () {
    const content = "A1=1\nA2\n# c\nA3=3\nexport A4\nA5=\n=6\nsome words\nA7='7\n=\nA=8' # c\nA9=\"9\nA10=10\n"
    expect(yield* read(content)).toEqual({ A1: "1", A3: "3", A5: "", A7: "7\n=\nA=8", A9: '"9', A10: "10" })
  })
)

it.scopedLive("a file that is too large for an environment is told as that", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(read(`A1=${"x".repeat(1_000_000)}\n`))
    expect(error).toMatchObject({ _tag: "ScriptNotStarted", reason: "internal" })
    expect(error.message).toContain(".env")
    expect(yield* read(`A1=${"x".repeat(2_000_000)}\n`)).toEqual({})
  })
)

describe.skipIf(process.platform === "win32")("what is no file (no named pipes on Windows)", () => {
  for (const [what, make] of [
    ["a named pipe", (path: string) => void execFileSync("mkfifo", [path])],
    ["a link to a device", (path: string) => symlinkSync("/dev/zero", path)],
    ["a folder", (path: string) => void mkdirSync(path)],
    ["a link to itself", (path: string) => symlinkSync(".env", path)]
  ] as const) {
    it.scopedLive(`${what} named .env is not read, and keeps nobody waiting`, () =>
      Effect.gen(function* () {
        expect(yield* readMade(make)).toEqual({})
      })
    )
  }
})
