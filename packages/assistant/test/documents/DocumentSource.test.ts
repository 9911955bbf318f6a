import { FileSystem } from "@effect/platform/FileSystem"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { describe, expect, it } from "@effect/vitest"
import { DocumentSource, Owner } from "@wield/assistant"
import { Effect, Layer } from "effect"
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const ada = Owner.UserId.make("ada")

/** `root` with a text in a folder, and beside it a secret, links to which are in the root. */
const folders = Effect.acquireRelease(
  Effect.sync(() => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), "wield-documents-")))
    const root = join(base, "root")
    mkdirSync(join(root, "notes"), { recursive: true })
    mkdirSync(join(base, "root-other"))
    writeFileSync(join(root, "notes", "garden.md"), "# Garden\n")
    writeFileSync(join(base, "secret.txt"), "secret")
    writeFileSync(join(base, "root-other", "secret.txt"), "secret")
    symlinkSync(join(base, "secret.txt"), join(root, "link.txt"))
    symlinkSync(base, join(root, "above"))
    symlinkSync(join(root, "notes", "garden.md"), join(root, "again.md"))
    symlinkSync(root, join(base, "root-link"))
    return { base, root }
  }),
  ({ base }) => Effect.sync(() => rmSync(base, { recursive: true, force: true }))
)

const reading = (options: DocumentSource.Options, address: string) =>
  Effect.flatMap(DocumentSource.DocumentSource, ({ read }) => read(ada, address)).pipe(
    Effect.provide(DocumentSource.layerFiles(options).pipe(Layer.provide(NodeContext.layer)))
  )

describe("documents from a folder", () => {
  it.scoped("have one address, by whatever name within the folder they are read", () =>
    Effect.gen(function* () {
      const { base, root } = yield* folders
      const expected = { address: "notes/garden.md", content: Buffer.from("# Garden\n") }
      for (const address of [
        "notes/garden.md",
        "./notes/../notes/garden.md",
        "again.md",
        join(root, "notes/garden.md"),
        "above/root/notes/garden.md"
      ]) {
        const { content, ...rest } = yield* reading({ root }, address)
        expect({ ...rest, content: Buffer.from(content) }).toEqual(expected)
      }
      // The folder itself may be a link.
      const linked = join(base, "root-link")
      expect((yield* reading({ root: linked }, "notes/garden.md")).address).toBe("notes/garden.md")
      expect((yield* reading({ root: linked }, join(linked, "again.md"))).address).toBe("notes/garden.md")
    })
  )

  it.scoped("are refused outside of it, also through links, and whether they are there or not", () =>
    Effect.gen(function* () {
      const { base, root } = yield* folders
      for (const address of [
        "../secret.txt",
        "../nothing.txt",
        "../root-other/secret.txt",
        join(base, "secret.txt"),
        "link.txt",
        "above/secret.txt",
        ".."
      ]) {
        const refused = yield* Effect.flip(reading({ root }, address))
        expect(refused).toMatchObject({ _tag: "OutsideRoot", address })
        expect(refused.message.replace(JSON.stringify(address), "")).not.toContain(base)
      }
    })
  )

  it.scoped("that are not there, no files, too large or without a name are typed failures", () =>
    Effect.gen(function* () {
      const { root } = yield* folders
      const failure = (address: string) => Effect.flip(reading({ root, bytes: 8 }, address))
      expect(yield* failure("nothing.md")).toMatchObject({ _tag: "FileNotFound", address: "nothing.md" })
      expect(yield* failure("notes/garden.md")).toMatchObject({ _tag: "TooLarge", bytes: 9, limit: 8 })
      for (const address of ["notes", ".", "notes/garden.md/more"]) {
        const refused = yield* failure(address)
        expect(refused).toMatchObject({ _tag: "NotReadable", address })
        expect(refused.message).not.toContain(root)
      }
      for (const address of ["", " ", "a\0b"]) expect((yield* failure(address))._tag).toBe("InvalidAddress")
    })
  )

  it.scoped("that are changed while they are read are refused, and so is what has become too large", () =>
    Effect.gen(function* () {
      const { root } = yield* folders
      const file = join(root, "notes", "garden.md")
      /** The real files, but that somebody changes the file after it was looked at first. */
      const changing = (change: Effect.Effect<void>) =>
        Layer.effect(
          FileSystem,
          Effect.gen(function* () {
            const files = yield* FileSystem
            const once = yield* Effect.once(change)
            return { ...files, stat: (path: string) => Effect.tap(files.stat(path), once) }
          })
        ).pipe(Layer.provideMerge(NodeContext.layer))
      const readWhile = (change: () => void) =>
        Effect.flatMap(DocumentSource.DocumentSource, ({ read }) => read(ada, "notes/garden.md")).pipe(
          Effect.provide(
            DocumentSource.layerFiles({ root, bytes: 1000 }).pipe(Layer.provide(changing(Effect.sync(change))))
          ),
          Effect.either
        )
      const changed = { _tag: "NotReadable", mediaType: "text/markdown", detail: expect.stringContaining("again") }
      for (const [change, refused] of [
        [() => appendFileSync(file, "more"), changed],
        [() => writeFileSync(file, "# Gardens of Ada\n"), changed],
        [() => utimesSync(file, 0, 0), changed],
        [() => appendFileSync(file, "x".repeat(2000)), { _tag: "TooLarge", bytes: 1001, limit: 1000 }]
      ] as const) {
        expect(yield* readWhile(change)).toMatchObject({ _tag: "Left", left: refused })
      }
      writeFileSync(file, "x".repeat(1000))
      expect(yield* readWhile(() => {})).toMatchObject({ _tag: "Right", right: { content: { length: 1000 } } })
    })
  )

  it.scoped("are of a folder for each user where that is asked for", () =>
    Effect.gen(function* () {
      const { base } = yield* folders
      const root = (user: Owner.UserId) => join(base, user === ada ? "root" : "root-other")
      expect((yield* reading({ root }, "again.md")).address).toBe("notes/garden.md")
      expect((yield* Effect.flip(reading({ root }, "../root-other/secret.txt")))._tag).toBe("OutsideRoot")
    })
  )

  it.scoped("that are in a folder that is not there are the program's mistake", () =>
    Effect.gen(function* () {
      const { root } = yield* folders
      const exit = yield* Effect.exit(reading({ root: join(root, "nothing") }, "a.md"))
      expect(exit).toMatchObject({ _tag: "Failure", cause: { _tag: "Die" } })
    })
  )
})
