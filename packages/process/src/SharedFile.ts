/** A file that several processes change: each change is whole, and keeps what the others have written. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { mkdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises"
import { dirname } from "node:path"

/**
 * The file could not be read or written, or another process goes on changing it.
 *
 * @category errors
 */
export class SharedFileError extends Data.TaggedError("SharedFileError")<{
  readonly path: string
  readonly reason: string
}> {
  override get message(): string {
    return `${this.path} cannot be changed: ${this.reason}`
  }
}

/**
 * Writes a file as a whole, so that a crash or a full disk leaves what was
 * there. A link stays one, and a file keeps its mode; a device or a pipe,
 * such as `/dev/stdout`, is written to.
 *
 * @category writing
 */
export const replace = async (path: string, text: string, mode?: number): Promise<void> => {
  const target = await realpath(path).catch(() => path)
  const before = await stat(target).catch(() => undefined)
  if (before !== undefined && !before.isFile()) return writeFile(target, text)
  const beside = `${target}.${token()}`
  try {
    await writeFile(beside, text, { mode: mode ?? before?.mode })
    await rename(beside, target)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
}

/**
 * Changes a file, made where it is missing, while no other process does. `next`
 * gets its text, or `undefined`, and gives the new one. A lock stands beside it
 * as `<path>.lock`; one that a process which was killed has left is taken away.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { SharedFile } from "@wield/process"
 * import { Effect } from "effect"
 * import { mkdtempSync, readFileSync, rmSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 *
 * const folder = mkdtempSync(join(tmpdir(), "shared-"))
 * const file = join(folder, "count.txt")
 * const increment = SharedFile.change(file, (text = "0") => Effect.succeed(String(Number(text) + 1)))
 *
 * await Effect.runPromise(Effect.all([increment, increment, increment], { concurrency: "unbounded" }))
 * assert.strictEqual(readFileSync(file, "utf8"), "3")
 * rmSync(folder, { recursive: true })
 * ```
 *
 * @category writing
 */
export const change = <E>(
  path: string,
  next: (text: string | undefined) => Effect.Effect<string, E>,
  mode = 0o600
): Effect.Effect<void, E | SharedFileError> => {
  const attempt = <A>(work: () => Promise<A>) =>
    Effect.tryPromise({ try: work, catch: (error) => new SharedFileError({ path, reason: reasonOf(error) }) })
  const lock = `${path}.lock`
  const own = token()
  const isOwn = async () => (await readFile(lock, "utf8").catch(() => "")) === own
  const once = Effect.acquireUseRelease(
    attempt(() => take(lock, own)),
    () =>
      Effect.gen(function* () {
        const text = yield* attempt(() => textOf(path))
        const changed = yield* next(text)
        // It may have been taken away, from a process that was stopped for long.
        if (!(yield* Effect.promise(isOwn))) return false
        yield* attempt(() => replace(path, changed, mode))
        return true
      }),
    () => Effect.promise(async () => ((await isOwn()) ? rm(lock, { force: true }) : undefined))
  )
  return Effect.zipRight(
    attempt(() => mkdir(dirname(path), { recursive: true, mode: 0o700 })),
    Effect.asVoid(Effect.repeat(once, { until: (isDone) => isDone }))
  )
}

const token = (): string => randomBytes(6).toString("hex")

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined)

const textOf = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, "utf8")
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined
    throw error
  }
}

/** Milliseconds after which a lock was left by a process that was killed, and for how long one is waited for. */
const stale = 5_000
const patience = 15_000

const take = async (lock: string, own: string): Promise<void> => {
  for (const since = performance.now(); ;) {
    try {
      return await writeFile(lock, own, { flag: "wx", mode: 0o600 })
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error
    }
    if (performance.now() - since > patience) {
      throw new Error(`another process is changing it. If none is, remove ${lock}`)
    }
    await new Promise((resume) => setTimeout(resume, 20))
    const { mtimeMs } = (await stat(lock).catch(() => undefined)) ?? { mtimeMs: Infinity }
    if (Date.now() - mtimeMs > stale) await rm(lock, { force: true })
  }
}
