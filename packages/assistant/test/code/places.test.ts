/** Where files may be edited: folders and links on disk, real ones, also such as change in the middle. */
import { execFileSync } from "node:child_process"
import { createServer } from "node:net"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, layer } from "@effect/vitest"
import { CodeEditor } from "@wield/assistant"
import { Cause, Effect, Exit, Layer } from "effect"
import { sized } from "../../../../test/sizes.js"
import { canAnchor, openFolder } from "../../src/code/folder.js"
import { readCurrent, write as writeFile } from "../../src/code/write.js"
import { newFolder } from "./folders.js"
import { makeModel } from "./models.js"

describe("the place of a file", () => {
  layer(NodeContext.layer)((it) => {
    for (const [workingDir, fileName, reason] of [
      ["/etc", "passwd", "NotRelative"],
      ["app", "/etc/passwd", "NotRelative"],
      ["~", ".bashrc", "NotRelative"],
      ["C:\\app", "a.txt", "NotRelative"],
      ["\\\\server\\app", "a.txt", "NotRelative"],
      ["app/..", "secret.txt", "Outside"],
      ["app", "../secret.txt", "Outside"],
      ["app", "src/../../secret.txt", "Outside"],
      ["app/src/..", "a.txt", "Outside"],
      ["", "app/a.txt", "UnknownRoot"],
      [".", "app", "UnknownRoot"],
      ["src", "a.txt", "UnknownRoot"],
      ["constructor", "a.txt", "UnknownRoot"],
      ["app", "", "InvalidName"],
      ["app", ".", "InvalidName"],
      ["app", "src/", "InvalidName"],
      ["app", "a\0.txt", "InvalidName"],
      ["app", "a\n.txt", "InvalidName"],
      ["app", "..\\secret.txt", "InvalidName"],
      ["app", "x".repeat(256), "InvalidName"],
      ["app", ".git/config", "Protected"],
      ["app/.git/hooks", "pre-commit", "Protected"],
      ["app", "src/.GIT/config", "Protected"],
      ["app", ".g\u200Cit/config", "Protected"],
      ["app", "GIT~1/config", "Protected"],
      ["app", ".git. /config", "Protected"],
      ["app", ".git::$INDEX_ALLOCATION/config", "Protected"],
      ["app", ".git", "Protected"],
      ["app", "nowhere/a.txt", "NoSuchFolder"],
      ["app", "a.txt/b.txt", "NoSuchFolder"],
      ["app", "src", "NotAFile"],
      ["app", "secret.env", "NotAllowed"]
    ] as const) {
      it.scoped(`is refused as ${reason}: ${JSON.stringify(`${workingDir} + ${fileName.slice(0, 40)}`)}`, () =>
        Effect.gen(function* () {
          const files = yield* FileSystem.FileSystem
          const { above, at, edit, model, write } = yield* newFolder({ allows: (file) => !file.endsWith(".env") })
          yield* files.makeDirectory(at("src"))
          yield* files.makeDirectory(at(".git"))
          yield* write("a.txt", "one\n")
          yield* write("secret.env", "one\n")
          const failure = yield* Effect.flip(edit(fileName, workingDir))
          expect(failure).toMatchObject({ _tag: "FileRefused", reason })
          expect(failure.message).not.toContain(above)
          expect(model.asked).toEqual([])
        })
      )
    }

    it.scoped("is not written where what decides gives a promise, as in plain JavaScript", () =>
      Effect.gen(function* () {
        const allows = (async () => false) as unknown as () => boolean
        const { edit, names } = yield* newFolder({ allows })
        const exit = yield* Effect.exit(edit("a.txt"))
        expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain("`allows` must give true or false")
        expect(yield* names()).toEqual([])
      })
    )

    it.scoped("is not refused for looking like another: dots, names like git's, spaces, any script", () =>
      Effect.gen(function* () {
        const { edit, model, names } = yield* newFolder()
        const allowed = ["...", "..a", ".gitignore", "git", "my.git", "a b.txt", "日本語.md", "ab:c~.txt"]
        model.answers = allowed.map(() => [{ search: "", replace: "new" }])
        for (const name of allowed) yield* edit(name)
        expect(yield* names()).toEqual([...allowed].sort())
      })
    )

    it.scoped("is refused where it is a link, leads through one, or is no regular file", () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const { above, at, edit, model, root } = yield* newFolder()
        yield* files.makeDirectory(`${above}/outside`)
        yield* files.writeFileString(`${above}/outside/secret.txt`, "secret\n")
        yield* files.makeDirectory(at("src"))
        yield* files.symlink(`${above}/outside`, at("out"))
        yield* files.symlink(`${above}/outside/secret.txt`, at("secret.txt"))
        yield* files.symlink(`${above}/outside/none.txt`, at("dangling.txt"))
        yield* files.symlink(`${root}/src`, at("inside"))
        yield* Effect.sync(() => execFileSync("mkfifo", [at("pipe")]))
        yield* Effect.acquireRelease(
          Effect.async<ReturnType<typeof createServer>>((resume) => {
            const server = createServer().listen(at("socket"), () => resume(Effect.succeed(server)))
          }),
          (server) => Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
        )
        for (const [name, reason] of [
          ["out/secret.txt", "SymbolicLink"],
          ["out/new.txt", "SymbolicLink"],
          ["secret.txt", "SymbolicLink"],
          ["dangling.txt", "SymbolicLink"],
          ["inside/new.txt", "SymbolicLink"],
          ["pipe", "NotAFile"],
          ["socket", "NotAFile"]
        ]) {
          expect(yield* Effect.flip(edit(name ?? ""))).toMatchObject({ _tag: "FileRefused", reason })
        }
        expect(model.asked).toEqual([])
        expect(yield* files.readFileString(`${above}/outside/secret.txt`)).toBe("secret\n")
        expect(yield* files.readDirectory(`${above}/outside`)).toEqual(["secret.txt"])
      })
    )

    it.scoped("is refused where the file is read-only, and the file stays the same one", () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const { at, edit, model, names, read, write } = yield* newFolder()
        yield* write("a.txt", "one\n")
        yield* files.chmod(at("a.txt"), 0o444)
        const before = yield* files.stat(at("a.txt"))
        expect(yield* Effect.flip(edit("a.txt"))).toMatchObject({
          _tag: "FileRefused",
          reason: "ReadOnly",
          message:
            '"app/a.txt" is not edited: it may not be written. Allowed: files that may be written. Nothing was written. Tell the user, who can change that'
        })
        expect(model.asked).toEqual([])
        expect(yield* read("a.txt")).toBe("one\n")
        expect(yield* files.stat(at("a.txt"))).toMatchObject({ ino: before.ino, mode: before.mode })
        expect(yield* names()).toEqual(["a.txt"])
      })
    )

    it.scoped("is refused where the file is not text or too large", () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const { at, edit, model, write } = yield* newFolder({ maxBytes: 10 })
        yield* files.writeFile(at("null"), Uint8Array.of(97, 0, 98))
        yield* files.writeFile(at("latin1"), Uint8Array.of(0xe4, 10))
        yield* files.writeFile(at("utf16"), Buffer.from("\uFEFFab", "utf16le"))
        yield* write("large", "12345678901")
        for (const name of ["null", "latin1", "utf16"]) {
          expect(yield* Effect.flip(edit(name))).toMatchObject({ _tag: "FileRefused", reason: "NotText" })
        }
        expect(yield* Effect.flip(edit("large"))).toMatchObject({
          _tag: "FileRefused",
          reason: "TooLarge",
          allowed: "files of at most 10 bytes"
        })
        expect(model.asked).toEqual([])
      })
    )

    it.scoped("may be in any of several roots, and a root may itself be a link", () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const { above, root } = yield* newFolder()
        yield* files.symlink(root, `${above}/linked`)
        yield* files.makeDirectory(`${above}/docs`)
        const model = makeModel()
        const roots = { app: `${above}/linked`, docs: `${above}/docs` }
        const made = Layer.provide(CodeEditor.layer({ roots }), model.layer)
        yield* Effect.gen(function* () {
          const editor = yield* CodeEditor.CodeEditor
          expect(editor.roots).toEqual(["app", "docs"])
          model.state.answers = [[{ search: "", replace: "app" }], [{ search: "", replace: "docs" }]]
          yield* editor.edit({ workingDir: "app", fileName: "a.txt", instruction: "" })
          yield* editor.edit({ workingDir: "docs", fileName: "a.txt", instruction: "" })
          const unknown = yield* Effect.flip(editor.edit({ workingDir: "x", fileName: "a.txt", instruction: "" }))
          expect(unknown.message).toContain('"app", "docs"')
        }).pipe(Effect.provide(made))
        expect(yield* files.readFileString(`${root}/a.txt`)).toBe("app\n")
        expect(yield* files.readFileString(`${above}/docs/a.txt`)).toBe("docs\n")
        for (const roots of [{ app: `${above}/none` }, { app: `${root}/a.txt` }, { "../app": root }, { "": root }]) {
          const refused = yield* Effect.flip(Layer.build(Layer.provide(CodeEditor.layer({ roots }), model.layer)))
          expect(refused._tag).toBe("InvalidRoot")
        }
      })
    )

    it.scoped("does not move outside when a folder or the file becomes a link while the model thinks", () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const { above, at, edit, model } = yield* newFolder()
        yield* files.makeDirectory(`${above}/outside`)
        yield* files.writeFileString(`${above}/outside/a.txt`, "one\n")
        yield* files.makeDirectory(at("src"))
        yield* files.writeFileString(at("src/a.txt"), "one\n")
        const mine = [{ search: "one", replace: "mine" }]
        // The folder, by a link to one with the same file in it.
        const swap = files
          .rename(at("src"), at("moved"))
          .pipe(Effect.zipRight(files.symlink(`${above}/outside`, at("src"))))
        model.answers = [Effect.as(Effect.orDie(swap), mine)]
        expect(yield* Effect.flip(edit("src/a.txt"))).toMatchObject({ _tag: "FileChanged" })
        // The file, by a link to one with the same text.
        const relink = files
          .remove(at("moved/a.txt"))
          .pipe(Effect.zipRight(files.symlink(`${above}/outside/a.txt`, at("moved/a.txt"))))
        model.answers = [Effect.as(Effect.orDie(relink), mine)]
        expect(yield* Effect.flip(edit("moved/a.txt"))).toMatchObject({ _tag: "FileChanged" })
        // The root itself.
        model.answers = [
          Effect.as(
            Effect.orDie(
              files.rename(at(""), `${above}/away`).pipe(Effect.zipRight(files.symlink(`${above}/outside`, at(""))))
            ),
            [{ search: "", replace: "mine" }]
          )
        ]
        expect(yield* Effect.flip(edit("new.txt"))).toMatchObject({ _tag: "FileChanged" })
        expect(yield* files.readFileString(`${above}/outside/a.txt`)).toBe("one\n")
        expect(yield* files.readDirectory(`${above}/outside`)).toEqual(["a.txt"])
      })
    )
  })
})

describe("a folder that somebody else changes all the time", () => {
  layer(NodeContext.layer)((it) => {
    it.scoped("is never left through a link that is put in and taken out again", () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const { above, at, edit, model } = yield* newFolder()
        yield* files.makeDirectory(`${above}/outside`)
        yield* files.writeFileString(`${above}/outside/a.txt`, "secret\n")
        yield* files.makeDirectory(at("src"))
        yield* files.writeFileString(at("src/a.txt"), "one\n")
        // Another process, so that it runs in between any two system calls.
        const swapping = `
          const fs = require("node:fs")
          const [source, away, outside, stop] = process.argv.slice(1)
          while (!fs.existsSync(stop)) {
            fs.renameSync(source, away); fs.symlinkSync(outside, source)
            fs.unlinkSync(source); fs.renameSync(away, source)
          }`
        const { spawn } = yield* Effect.promise(() => import("node:child_process"))
        const child = spawn(process.execPath, [
          "-e",
          swapping,
          at("src"),
          at("away"),
          `${above}/outside`,
          `${above}/stop`
        ])
        let ended = false
        child.on("exit", () => (ended = true))
        const outcomes = new Map<string, number>()
        let number = 0
        let tries = 0
        while (!ended) {
          // Until both happened: edits in between, and links that were refused.
          const isDone = ++tries >= sized(100, 1500) && outcomes.has("made") && outcomes.has("FileRefused")
          if (isDone) yield* files.writeFileString(`${above}/stop`, "")
          model.answers = [[{ search: number === 0 ? "one" : `${number}`, replace: `${number + 1}` }]]
          const outcome = yield* Effect.either(edit("src/a.txt"))
          if (outcome._tag === "Right") number++
          const tag = outcome._tag === "Right" ? "made" : outcome.left._tag
          outcomes.set(tag, (outcomes.get(tag) ?? 0) + 1)
        }
        expect(yield* files.readFileString(`${above}/outside/a.txt`)).toBe("secret\n")
        expect(yield* files.readDirectory(`${above}/outside`)).toEqual(["a.txt"])
        expect(model.asked.join("")).not.toContain("secret")
        expect(yield* files.readFileString(at("src/a.txt"))).toBe(number === 0 ? "one\n" : `${number}\n`)
        expect(yield* files.readDirectory(at("src"))).toEqual(["a.txt"])
      })
    )
  })
})

describe("a system where no name can be looked up in an open folder", () => {
  layer(NodeContext.layer)((it) => {
    it.scoped("has each part of the path looked at before and after", () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const { above, at, root } = yield* newFolder()
        yield* files.makeDirectory(`${above}/outside`)
        yield* files.makeDirectory(at("src"))
        yield* files.writeFileString(at("src/a.txt"), "one\n")
        yield* files.symlink(`${above}/outside`, at("out"))
        const open = (...folders: ReadonlyArray<string>) =>
          openFolder({ file: "app/a.txt", root, folders, openAnchored: false })
        expect(yield* Effect.flip(open("out"))).toMatchObject({ _tag: "FileRefused", reason: "SymbolicLink" })
        expect(yield* Effect.flip(open("none"))).toMatchObject({ _tag: "FileRefused", reason: "NoSuchFolder" })
        expect(yield* Effect.flip(open("src", "a.txt"))).toMatchObject({ reason: "NoSuchFolder" })
        const folder = yield* open("src")
        const found = yield* readCurrent(folder, "a.txt", "app/a.txt", 100)
        yield* writeFile(folder, "a.txt", "app/a.txt", found, "two\n")
        expect(yield* files.readFileString(at("src/a.txt"))).toBe("two\n")
        const again = yield* readCurrent(folder, "a.txt", "app/a.txt", 100)
        yield* files.rename(at("src"), at("away"))
        yield* files.symlink(`${above}/outside`, at("src"))
        const refused = yield* Effect.flip(writeFile(folder, "a.txt", "app/a.txt", again, "three\n"))
        expect(refused._tag).toBe("FileChanged")
        expect(yield* files.readDirectory(`${above}/outside`)).toEqual([])
        expect(yield* files.readFileString(at("away/a.txt"))).toBe("two\n")
      })
    )

    it.effect("is not this one, where it is Linux", () =>
      Effect.map(canAnchor, (anchored) => expect(anchored).toBe(process.platform === "linux"))
    )
  })
})
