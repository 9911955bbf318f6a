import { describe, expect, it } from "@effect/vitest"
import * as FileStore from "@wield/agent/FileStore"
import { Documents, Owner, SearchIndex } from "@wield/assistant"
import { Effect, Layer } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bundleOf } from "../../../../test/programs.js"

const ada = Owner.UserId.make("ada")

describe("a process that is killed while it replaces a document", () => {
  it.scopedLive("leaves the document as it was, and the next process goes on with it", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "wield-killed-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
      )
      const path = join(folder, "assistant.db")
      // Opened anew each time, as after a restart.
      const opened = <A, E>(use: (documents: Documents.Service) => Effect.Effect<A, E>) =>
        Effect.flatMap(Documents.Documents, use).pipe(
          Effect.provide(
            Documents.layer().pipe(Layer.provide(SearchIndex.layer()), Layer.provide(FileStore.layerClient({ path })))
          )
        )
      const address = "garden.txt"
      const [old, next] = ["Moonflowers. ".repeat(500), "Orchids. ".repeat(900)]
      const before = yield* opened(({ ingest }) => ingest(ada, { address, content: old }))

      const child = spawn(
        process.execPath,
        [yield* bundleOf(new URL("killedChild.ts", import.meta.url)), path, address, next],
        { stdio: ["ignore", "pipe", "inherit"] }
      )
      yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
      const [said] = yield* Effect.promise(() => once(child.stdout, "data"))
      expect(String(said)).toBe("reached\n")
      const ended = once(child, "exit")
      child.kill("SIGKILL")
      expect(yield* Effect.promise(() => ended)).toEqual([null, "SIGKILL"])

      const after = yield* opened((documents) =>
        Effect.all({
          document: documents.get(ada, address),
          excerpts: documents.excerpts(ada, address),
          old: documents.search(ada, "moonflowers"),
          next: documents.search(ada, "orchids")
        })
      )
      expect(after.document).toEqual(before.document)
      expect(after.excerpts).toHaveLength(before.document.excerpts)
      expect(after.excerpts.every(({ text }) => text.includes("Moonflowers."))).toBe(true)
      expect(after.old.excerpts).toHaveLength(before.document.excerpts)
      expect(after.next.excerpts).toEqual([])
      expect((yield* opened(({ ingest }) => ingest(ada, { address, content: next }))).change).toBe("replaced")
      expect((yield* opened(({ search }) => search(ada, "moonflowers"))).excerpts).toEqual([])
    })
  )
})
