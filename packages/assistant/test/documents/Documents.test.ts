import { describe, expect, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql/SqlClient"
import { SearchIndex } from "@wield/assistant"
import * as Documents from "@wield/assistant/Documents"
import * as Owner from "@wield/assistant/Owner"
import { Chunk, Deferred, Effect, Exit, Fiber, Layer, Stream, TestClock } from "effect"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { vi } from "vitest"
import { corpusFolder, hasCorpus } from "../../../../test/corpus/folder.js"
import { sized } from "../../../../test/sizes.js"
import { slowDatabases } from "../databases/databases.js"
import { makeVectors } from "../search/vectors.js"
import { pdfOf } from "./pdf.js"

/** Each look at the clock finds it 20 ms later: what gives way after some milliseconds of work does so at each step. */
const hurry = () => {
  let milliseconds = performance.now()
  return vi.spyOn(performance, "now").mockImplementation(() => (milliseconds += 20))
}

/** How often an effect gives way to the event loop, however fast the machine. */
const countTurns = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<{ readonly value: A; readonly turns: number }, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const state = { clock: hurry(), turns: 0, isOver: false }
      const turn = () => {
        state.turns++
        if (!state.isOver) setImmediate(turn)
      }
      setImmediate(turn)
      return state
    }),
    (state) => Effect.map(effect, (value) => ({ value, turns: state.turns })),
    (state) =>
      Effect.sync(() => {
        state.isOver = true
        state.clock.mockRestore()
      })
  )

let users = 0
const newUser = () => Owner.UserId.make(`user ${++users}`)

const bytes = (text: string) => new TextEncoder().encode(text)

/** The text, put together from its excerpts. */
const wholeOf = (excerpts: ReadonlyArray<{ readonly start: number; readonly end: number; readonly text: string }>) =>
  excerpts.map(({ start, text }, index) => text.slice((excerpts[index - 1]?.end ?? 0) - start)).join("")

/** How many rows there are of what a user has ingested. */
const rowsOf = (user: string) =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.map(
      sql<{ readonly excerpts: unknown; readonly items: unknown }>`SELECT
        (SELECT COUNT(*) FROM wield_assistant_excerpts e JOIN wield_assistant_documents d ON d.id = e.document_id
          WHERE d.user_id = ${user}) AS excerpts,
        (SELECT COUNT(*) FROM wield_assistant_items WHERE user_id = ${user}) AS items`,
      ([row]) => [Number(row?.excerpts), Number(row?.items)]
    )
  )

for (const { client, name } of slowDatabases) {
  describe(`documents over ${name}`, () => {
    layer(
      Documents.layer({ size: 100, overlap: 20, bytes: 100_000 }).pipe(
        Layer.provideMerge(SearchIndex.layer()),
        Layer.provideMerge(client)
      )
    )((it) => {
      it.effect("are added, found unchanged, replaced, and deleted", () =>
        Effect.gen(function* () {
          const documents = yield* Documents.Documents
          const user = newUser()
          yield* TestClock.setTime(1_000_000)
          const address = "notes/garden.md"
          const first = `# Garden\n\n${"Moonflowers open at night. ".repeat(20)}`
          const added = yield* documents.ingest(user, { address, content: first })
          expect(added.change).toBe("added")
          expect(added.document).toMatchObject({ address, mediaType: "text/markdown", bytes: 550, length: 550 })
          expect(wholeOf(yield* documents.excerpts(user, address))).toBe(first)

          const again = yield* documents.ingest(user, { address, content: bytes(first) })
          expect(again).toEqual({ change: "unchanged", document: added.document })

          const replaced = yield* documents.ingest(user, { address, content: "# Garden\n\nOrchids want tears." })
          expect(replaced.change).toBe("replaced")
          expect(replaced.document.excerpts).toBe(1)
          expect(yield* rowsOf(user)).toEqual([1, 1])
          expect((yield* documents.search(user, "moonflowers")).excerpts).toEqual([])
          expect(yield* documents.search(user, "orchids")).toMatchObject({
            kind: "words",
            excerpts: [{ address, index: 0, heading: "Garden", text: "# Garden\n\nOrchids want tears.", by: ["words"] }]
          })

          expect(yield* documents.delete(user, address)).toEqual(replaced.document)
          expect(yield* documents.list(user)).toEqual([])
          expect(yield* rowsOf(user)).toEqual([0, 0])
          expect(yield* Effect.flip(documents.delete(user, address))).toMatchObject({ _tag: "DocumentNotFound" })
        })
      )

      it.effect("are ingested again where that is asked for, and only where they were ingested before", () =>
        Effect.gen(function* () {
          const documents = yield* Documents.Documents
          const user = newUser()
          const content = { address: "a.txt", content: "Tea is green." }
          expect(yield* Effect.flip(documents.reingest(user, content))).toMatchObject({
            _tag: "DocumentNotFound",
            known: []
          })
          yield* documents.ingest(user, content)
          expect((yield* documents.reingest(user, content)).change).toBe("replaced")
          expect(yield* rowsOf(user)).toEqual([1, 1])
          // The same bytes as another type are another document.
          expect((yield* documents.ingest(user, { ...content, mediaType: "text/markdown" })).change).toBe("replaced")
        })
      )

      it.effect("keep the pages of a PDF", () =>
        Effect.gen(function* () {
          const documents = yield* Documents.Documents
          const user = newUser()
          const pages = [
            "Moonflowers open at night.\nThey are white.",
            "Ghost orchids want tears of joy, which are kept in crystal vials.",
            "Ferns are watered with dew."
          ]
          const content = yield* pdfOf(pages)
          const copy = content.slice()
          const { document } = yield* documents.ingest(user, { address: "garden.pdf", content })
          expect(document).toMatchObject({ mediaType: "application/pdf", pages: 3, bytes: content.length })
          // What was given is left as it was.
          expect(content).toEqual(copy)
          const excerpts = yield* documents.excerpts(user, "garden.pdf")
          expect(wholeOf(excerpts)).toBe(pages.join("\n\n"))
          expect(excerpts.map(({ pages }) => pages)).toEqual([
            [1, 1],
            [1, 2],
            [2, 3]
          ])
          const { excerpts: found } = yield* documents.search(user, "orchid")
          expect(found[0]?.text).toContain("Ghost orchids")
          // Without a name that tells, its first bytes do; Node reads files as Buffers, which may be part of a larger one.
          const buffer = Buffer.concat([Buffer.from("x"), content]).subarray(1)
          expect((yield* documents.ingest(user, { address: "scan", content: buffer })).document).toMatchObject({
            mediaType: "application/pdf",
            hash: document.hash,
            pages: 3
          })
          expect(buffer.equals(copy)).toBe(true)
        })
      )

      it.effect("are what a reader sees of HTML, under its title", () =>
        Effect.gen(function* () {
          const documents = yield* Documents.Documents
          const user = newUser()
          const article = "The ghost orchid wants tears of joy, which Clara keeps in vials of crystal. ".repeat(10)
          const content = `<!DOCTYPE html><html><head><title>Clara&#39;s garden</title><style>p{}</style></head><body>
            <nav><a href="/x">Home</a></nav><article><h2>Orchids</h2><p>${article}</p><p>At caf\u00e9s: tea &amp; cake</p></article>
            <script>alert("hidden")</script></body></html>`
          const address = "https://example.com/garden"
          const { document } = yield* documents.ingest(user, { address, content })
          expect(document.mediaType).toBe("text/html")
          const excerpts = yield* documents.excerpts(user, address)
          const text = wholeOf(excerpts)
          expect(text).toMatch(/^# Clara's garden\n/)
          expect(text).toContain("tea & cake")
          expect(text).not.toMatch(/alert|<p>|p\{\}/)
          expect(excerpts.at(-1)?.headings).toEqual(["Clara's garden", "Orchids"])
        })
      )

      it.effect("are all that a reader sees of HTML, not its article only", () =>
        Effect.gen(function* () {
          const documents = yield* Documents.Documents
          const user = newUser()
          const chapters = Array.from(
            { length: 6 },
            (
              _,
              chapter
            ) => `<div><h2>Chapter ${chapter}</h2><p>${"Orchids want tears, and time. ".repeat(9 * chapter)}</p>
              <ul><li><a href="#x">link ${chapter}</a></li></ul><aside>note ${chapter}</aside>
              <table><tr><th>Tears</th><td>${chapter} ml</td></tr></table></div>`
          )
          const content = `<html><head><title>Manual</title></head><body><header>Third edition</header>
            ${chapters.join("\n")}<div class="footer comment">Void if opened</div><footer>Clara &copy; 2026</footer>
            <p hidden>unseen</p></body></html>`
          yield* documents.ingest(user, { address: "manual.html", content })
          const text = wholeOf(yield* documents.excerpts(user, "manual.html"))
          for (const seen of ["Third edition", "Void if opened", "Clara © 2026"]) expect(text).toContain(seen)
          for (let chapter = 0; chapter < 6; chapter++) {
            expect(text).toContain(`## Chapter ${chapter}\n`)
            for (const seen of [`link ${chapter}`, `note ${chapter}`, `| Tears | ${chapter} ml |`]) {
              expect(text).toContain(seen)
            }
          }
          expect(text).not.toContain("unseen")
        })
      )

      it.effect("are read in the charset that they are in", () =>
        Effect.gen(function* () {
          const documents = yield* Documents.Documents
          const user = newUser()
          const read = (content: Uint8Array, mediaType?: string) =>
            Effect.gen(function* () {
              yield* documents.ingest(user, { address: "a.txt", content, mediaType })
              return wholeOf(yield* documents.excerpts(user, "a.txt"))
            })
          const latin = Uint8Array.from([0x63, 0x61, 0x66, 0xe9])
          expect(yield* read(bytes("café 😀"))).toBe("café 😀")
          expect(yield* read(bytes("\uFEFFcafé"))).toBe("café")
          expect(yield* read(latin)).toBe("café")
          expect(yield* read(Uint8Array.from([0xff, 0xfe, 0x74, 0, 0xe9, 0]))).toBe("té")
          expect(yield* read(Uint8Array.from([0xe8, 0xe9]), "text/plain; charset=windows-1251")).toBe("ий")
          expect(yield* read(Uint8Array.from([0x93, 0xfa, 0x96, 0x7b]), 'text/plain; charset="Shift_JIS"')).toBe("日本")
          const html = new Uint8Array([...bytes('<meta charset="iso-8859-2"><p>'), 0xb1, ...bytes("</p>")])
          expect(yield* read(html, "text/html")).toBe("ą")
          // What a text says of charsets is not about itself.
          expect(yield* read(bytes('<meta charset="iso-8859-2"> é'))).toBe('<meta charset="iso-8859-2"> é')
        })
      )

      it.effect("that are too large, of an unknown type, or without text are refused, and leave what was there", () =>
        Effect.gen(function* () {
          const documents = yield* Documents.Documents
          const user = newUser()
          const address = "a.txt"
          yield* documents.ingest(user, { address, content: "Tea is green." })
          const refusal = (content: string | Uint8Array, mediaType?: string) =>
            Effect.flip(documents.ingest(user, { address, content, mediaType }))
          expect(yield* refusal("é".repeat(50_001))).toMatchObject({ _tag: "TooLarge", bytes: 100_002, limit: 100_000 })
          for (const [content, mediaType, detail] of [
            ["picture", "image/png", "what can be read is"],
            [Uint8Array.from([80, 75, 3, 4, 0, 0, 8]), undefined, "it is no text"],
            [" \n", undefined, "there is no text"],
            ["<html><body><script>x()</script></body></html>", "text/html", "there is no text"],
            [bytes("%PDF-1.4 broken"), "application/pdf", ""],
            ["%PDF-1.4", "application/pdf", "bytes"],
            [yield* pdfOf(["", " "]), "application/pdf", "text recognition"]
          ] as const) {
            const refused = yield* refusal(content, mediaType)
            expect(refused).toMatchObject({ _tag: "NotReadable", address, mediaType: mediaType ?? "text/plain" })
            expect(refused.message).toContain(detail)
          }
          expect(wholeOf(yield* documents.excerpts(user, address))).toBe("Tea is green.")
        })
      )

      it.effect("have an address of 2,000 bytes at most, of whatever characters", () =>
        Effect.gen(function* () {
          const documents = yield* Documents.Documents
          const user = newUser()
          // Without repetitions, which a database could write shorter.
          const words = (from: number, length: number) =>
            String.fromCharCode(...Array.from({ length }, (_, index) => from + ((index * 7919) % 20_000)))
          const address = words(0x4e00, 666)
          const { document } = yield* documents.ingest(user, { address, content: "text" })
          expect(document.address).toBe(address)
          const refused = yield* Effect.flip(documents.ingest(user, { address: `${address}永`, content: "text" }))
          expect(refused).toMatchObject({ _tag: "InvalidAddress", expected: "at most 2000 bytes long in UTF-8" })
        })
      )

      it.effect("are refused under an address that names nothing", () =>
        Effect.gen(function* () {
          const documents = yield* Documents.Documents
          for (const address of ["", " ", "a\nb", "a\0", "x".repeat(2001)]) {
            const refused = yield* Effect.flip(documents.ingest(newUser(), { address, content: "text" }))
            expect(refused._tag).toBe("InvalidAddress")
          }
        })
      )

      it.effect("come back as they were given, whatever is in them", () =>
        Effect.gen(function* () {
          const documents = yield* Documents.Documents
          const user = newUser()
          const address = `C:\\temp\\"it's" › 50% é😀 -- ; DROP TABLE`
          const content = `# \\u0000 "quoted" › \n\n'; DROP TABLE x; -- \0 \ud800 😀 \\ ${"\\0 ".repeat(100)}`
          yield* documents.ingest(user, { address, content, mediaType: "text/markdown" })
          expect(wholeOf(yield* documents.excerpts(user, address))).toBe(content)
          const { excerpts } = yield* documents.search(user, "quoted")
          expect(excerpts[0]).toMatchObject({ address, index: 0, heading: `\\u0000 "quoted" ›` })
        })
      )

      it.effect("of two users are two, whatever their addresses", () =>
        Effect.gen(function* () {
          const documents = yield* Documents.Documents
          const [ada, bob] = [newUser(), newUser()]
          yield* documents.ingest(ada, { address: "a.txt", content: "The code is 1234." })
          yield* documents.ingest(bob, { address: "b.txt", content: "The code is 9999." })
          expect((yield* documents.search(bob, "code")).excerpts.map(({ text }) => text)).toEqual(["The code is 9999."])
          for (const operation of [
            documents.get(bob, "a.txt"),
            documents.excerpt(bob, "a.txt", 0),
            documents.excerpts(bob, "a.txt"),
            documents.headings(bob, "a.txt"),
            documents.delete(bob, "a.txt"),
            documents.reingest(bob, { address: "a.txt", content: "mine" })
          ]) {
            const refused = yield* Effect.flip<unknown, { readonly _tag: string; readonly known?: unknown }, never>(
              operation
            )
            expect(refused).toMatchObject({ _tag: "DocumentNotFound", address: "a.txt", known: ["b.txt"] })
          }
          yield* documents.ingest(bob, { address: "a.txt", content: "Mine." })
          expect(wholeOf(yield* documents.excerpts(ada, "a.txt"))).toBe("The code is 1234.")
          yield* documents.delete(bob, "a.txt")
          expect((yield* documents.search(ada, "code")).excerpts).toHaveLength(1)
        })
      )

      it.effect("tell of themselves alone, in their order, beside others of the same user", () =>
        Effect.gen(function* () {
          const documents = yield* Documents.Documents
          const user = newUser()
          for (const name of ["First", "Second"]) {
            const content = ["One", "Two", "Three"]
              .map((part) => `# ${name} ${part}\n\n${"Leaf. ".repeat(9)}\n\n`)
              .join("")
            yield* documents.ingest(user, { address: `${name}.md`, content })
          }
          for (const name of ["First", "Second"]) {
            const headings = yield* documents.headings(user, `${name}.md`)
            expect(headings.map(({ index }) => index)).toEqual([0, 1, 2])
            expect(headings.map((part) => part.headings.at(-1))).toEqual([
              `${name} One`,
              `${name} Two`,
              `${name} Three`
            ])
            const excerpts = yield* documents.excerpts(user, `${name}.md`)
            expect(excerpts.map(({ address, index }) => [address, index])).toEqual(
              [0, 1, 2].map((index) => [`${name}.md`, index])
            )
            expect(yield* documents.excerpt(user, `${name}.md`, 1)).toEqual(excerpts[1])
          }
        })
      )

      it.effect("that are ingested at once under one address become one, whole", () =>
        Effect.gen(function* () {
          const documents = yield* Documents.Documents
          const user = newUser()
          const versions = Array.from({ length: 8 }, (_, number) => `Version ${number}. `.repeat(10 + 5 * number))
          const done = yield* Effect.forEach(
            [...versions, ...versions],
            (content) => documents.ingest(user, { address: "a.txt", content }),
            { concurrency: "unbounded" }
          )
          expect(done.filter(({ change }) => change === "added")).toHaveLength(1)
          const excerpts = yield* documents.excerpts(user, "a.txt")
          expect(versions).toContain(wholeOf(excerpts))
          expect(yield* rowsOf(user)).toEqual([excerpts.length, excerpts.length])

          const same = yield* Effect.forEach(
            Array.from({ length: 5 }),
            () => documents.ingest(user, { address: "b.txt", content: "The same." }),
            { concurrency: "unbounded" }
          )
          expect(same.map(({ change }) => change).sort()).toEqual([
            "added",
            "unchanged",
            "unchanged",
            "unchanged",
            "unchanged"
          ])
        })
      )

      it.effect("stay as they were when their replacement breaks off in the middle", () =>
        Effect.gen(function* () {
          const index = yield* SearchIndex.SearchIndex
          const documents = yield* Documents.Documents
          const user = newUser()
          const address = "a.txt"
          const old = "The old one. ".repeat(30)
          yield* documents.ingest(user, { address, content: old })
          const rows = yield* rowsOf(user)

          const reached = yield* Deferred.make<void>()
          const breaking = (end: Effect.Effect<never>) =>
            Effect.flatMap(Documents.Documents, (service) =>
              service.ingest(user, { address, content: "The new one. ".repeat(50) })
            ).pipe(
              Effect.provide(
                Documents.layer({ size: 100, overlap: 20 }).pipe(
                  Layer.provide(
                    Layer.succeed(SearchIndex.SearchIndex, {
                      ...index,
                      put: (user, items) => Effect.zipRight(index.put(user, items.slice(0, 3)), end)
                    })
                  )
                )
              )
            )
          const died = yield* Effect.exit(breaking(Effect.dieMessage("power failure")))
          expect(Exit.isFailure(died)).toBe(true)
          const fiber = yield* Effect.fork(
            breaking(Effect.zipRight(Deferred.succeed(reached, undefined), Effect.never))
          )
          yield* Deferred.await(reached)
          yield* Fiber.interrupt(fiber)

          expect(wholeOf(yield* documents.excerpts(user, address))).toBe(old)
          expect(yield* rowsOf(user)).toEqual(rows)
          expect((yield* documents.search(user, "new")).excerpts).toEqual([])
          expect((yield* documents.search(user, "old")).excerpts).toHaveLength(5)
        })
      )

      it.effect.skipIf(!hasCorpus("elroy/the_midnight_garden.md"))(
        "are found by questions about them: The Midnight Garden (skipped where elroy/the_midnight_garden.md is absent)",
        () =>
          Effect.gen(function* () {
            const documents = yield* Documents.Documents
            const user = newUser()
            const content = readFileSync(resolve(corpusFolder, "elroy/the_midnight_garden.md"), "utf8")
            const address = "the_midnight_garden.md"
            const { document } = yield* documents.ingest(user, { address, content })
            expect(document.excerpts).toBeGreaterThan(5)
            expect(wholeOf(yield* documents.excerpts(user, address))).toBe(content)
            for (const [question, answer] of [
              ["What does the ghost orchid require?", "tears of joy"],
              ["From whom did she inherit the garden?", "grandmother"],
              ["Who peeks through the fence?", "iron fence"]
            ] as const) {
              const { excerpts } = yield* documents.search(user, question, 2)
              expect(excerpts.map(({ text }) => text).join("\n")).toContain(answer)
              expect(excerpts[0]?.heading).toBe("The Midnight Garden")
            }
          })
      )
    })

    // With a clock that goes: the two wait for each other.
    layer(
      Documents.layer({ size: 100, overlap: 20 }).pipe(
        Layer.provideMerge(SearchIndex.layer()),
        Layer.provideMerge(client)
      ),
      { excludeTestServices: true }
    )((it) => {
      it.effect("are found and read as before or as after, while they are ingested again", () =>
        Effect.gen(function* () {
          const documents = yield* Documents.Documents
          const user = newUser()
          const version = (word: string, count: number) => `# ${word}\n\n${`Harpsichord ${word}. `.repeat(count)}`
          const versions = [version("old", 30), version("new", 60)]
          const address = "a.md"
          yield* documents.ingest(user, { address, content: versions[0] ?? "" })
          const writing = yield* Effect.fork(
            Effect.forEach(Array.from({ length: 10 }), (_, round) =>
              documents.ingest(user, { address, content: versions[(round + 1) % 2] ?? "" })
            )
          )
          let seen = 0
          while (!(yield* Fiber.poll(writing).pipe(Effect.map((exit) => exit._tag === "Some")))) {
            const { excerpts } = yield* documents.search(user, "harpsichord", 50)
            expect(excerpts.length).toBeGreaterThan(0)
            for (const { heading, text } of excerpts) expect(text).toContain(`Harpsichord ${heading}.`)
            expect(versions).toContain(wholeOf(yield* documents.excerpts(user, address)))
            seen++
            yield* Effect.sleep(1)
          }
          yield* Fiber.join(writing)
          expect(seen).toBeGreaterThan(0)
        })
      )

      it.effect("of a megabyte or more are ingested while others have their turn", () =>
        Effect.gen(function* () {
          const user = newUser()
          const section = (number: number) =>
            `## Section ${number}\n\n${`The ${number} foxes jump over the *lazy* dog. `.repeat(15)}\n\n`
          const sections = sized(1600, 8000)
          const content = Array.from({ length: sections }, (_, number) => section(number)).join("")
          expect(content.length).toBeGreaterThan(sized(900_000, 5_000_000))
          const { turns, value } = yield* Effect.flatMap(Documents.Documents, (documents) =>
            countTurns(documents.ingest(user, { address: "large.md", content }))
          ).pipe(Effect.provide(Documents.layer()))
          const { document } = value
          expect(document.excerpts).toBeGreaterThan(sized(360, 1800))
          expect(yield* rowsOf(user)).toEqual([document.excerpts, document.excerpts])
          expect(turns).toBeGreaterThan(50)
          const { excerpts } = yield* Effect.flatMap(Documents.Documents, (documents) =>
            documents.search(user, "Which section has 1471 foxes?", 1)
          )
          expect(excerpts[0]?.text).toContain("The 1471 foxes")
        })
      )
    })

    const vectors = makeVectors()
    layer(
      Documents.layer({ size: 100, overlap: 0 }).pipe(
        Layer.provideMerge(SearchIndex.layerEmbedding({ model: "test-1" })),
        Layer.provide(vectors.layer),
        Layer.provideMerge(client)
      )
    )((it) => {
      it.effect("are found by their meaning, and embedded again only where they have changed", () =>
        Effect.gen(function* () {
          const documents = yield* Documents.Documents
          const index = yield* SearchIndex.SearchIndex
          const user = newUser()
          const address = "pets.txt"
          const part = (text: string) => `${text}${".".repeat(98 - text.length)}\n\n`
          const first = part("Ajax barks at night")
          yield* documents.ingest(user, { address, content: `${first}${part("Tom purrs")}${part("Rain falls")}` })
          const found = yield* documents.search(user, "canine", 1)
          expect(found.kind).toBe("words and meaning")
          expect(found.excerpts).toMatchObject([{ text: first, by: ["meaning"] }])
          vectors.asked.length = 0
          yield* documents.ingest(user, { address, content: `${first}${part("Tom drinks")}` })
          Chunk.size(yield* Stream.runCollect(index.reindex))
          expect(vectors.asked.filter((text) => text.includes("Ajax"))).toEqual([])
          expect(vectors.asked.filter((text) => text.includes("Tom"))).toHaveLength(1)
          expect((yield* documents.search(user, "feline", 5)).excerpts.map(({ text }) => text)).not.toContain(
            part("Tom purrs")
          )
        })
      )
    })
  })
}
