import { assert, it } from "@effect/vitest"
import { SharedFile } from "@wield/process"
import { Effect } from "effect"
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "shared-file-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const add = (file: string, line: string) =>
  SharedFile.change(file, (text = "") => Effect.as(Effect.sleep("2 millis"), `${text}${line}\n`))

it.scopedLive("each change keeps the others, and nothing is left beside the file", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const file = join(path, "deep", "lines.txt")
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`)
    yield* Effect.forEach(lines, (line) => add(file, line), { concurrency: "unbounded" })
    assert.deepStrictEqual(readFileSync(file, "utf8").trim().split("\n").toSorted(), lines.toSorted())
    assert.deepStrictEqual(readdirSync(join(path, "deep")), ["lines.txt"])
  })
)

it.scopedLive("a change that fails changes nothing, and the next one is made", () =>
  Effect.gen(function* () {
    const file = join(yield* folder, "lines.txt")
    yield* add(file, "one")
    assert.strictEqual(yield* Effect.flip(SharedFile.change(file, () => Effect.fail("no"))), "no")
    yield* add(file, "two")
    assert.strictEqual(readFileSync(file, "utf8"), "one\ntwo\n")
  })
)

it.scopedLive("a lock that was left is taken away, and who has lost theirs begins again", () =>
  Effect.gen(function* () {
    const file = join(yield* folder, "lines.txt")
    writeFileSync(`${file}.lock`, "of one that was killed")
    utimesSync(`${file}.lock`, 0, 0)
    yield* add(file, "one")
    let times = 0
    yield* SharedFile.change(file, (text = "") =>
      Effect.sync(() => {
        // As another process does that takes this one for dead.
        if (++times === 1) {
          writeFileSync(file, `${text}other\n`)
          rmSync(`${file}.lock`)
        }
        return `${text}two\n`
      })
    )
    assert.strictEqual(readFileSync(file, "utf8"), "one\nother\ntwo\n")
    assert.isFalse(existsSync(`${file}.lock`))
  })
)

it.scopedLive("what is replaced keeps its mode and its link, and what is no file is written to", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const [file, link] = [join(path, "file.txt"), join(path, "link.txt")]
    writeFileSync(file, "old")
    chmodSync(file, 0o640)
    symlinkSync(file, link)
    yield* Effect.promise(() => SharedFile.replace(link, "new"))
    assert.deepStrictEqual([readFileSync(file, "utf8"), statSync(file).mode & 0o777], ["new", 0o640])
    assert.isTrue(lstatSync(link).isSymbolicLink())
    yield* Effect.promise(() => SharedFile.replace("/dev/null", "new"))
    assert.isFalse(statSync("/dev/null").isFile())
  })
)
