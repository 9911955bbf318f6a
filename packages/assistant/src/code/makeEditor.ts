/** Puts the parts of an edit together: where, what is there, what a model proposes, writing it. */
import { LanguageModel } from "@effect/ai"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as RcMap from "effect/RcMap"
import { Preview, type Request } from "../CodeEdit.js"
import type { Options, Service } from "../CodeEditor.js"
import { type EditFailure, FileChanged, FileRefused, PreviewGone } from "../CodeError.js"
import { diffOf } from "./diff.js"
import { type Folder, openFolder } from "./folder.js"
import { find, type Found } from "./found.js"
import { locate } from "./location.js"
import { makePreviews } from "./previews.js"
import { propose } from "./propose.js"
import { resolveRoots } from "./roots.js"
import { makeShownEdits } from "./shown.js"
import { write } from "./write.js"

/** The file of a request, which nobody else edits through this editor meanwhile. */
interface Target {
  readonly file: string
  readonly name: string
  readonly folder: Folder
  readonly found: Found | undefined
}

export const makeEditor = (options: Options, anchored: boolean) =>
  Effect.gen(function* () {
    const model = yield* LanguageModel.LanguageModel
    const roots = yield* resolveRoots(options.roots)
    const names = [...roots.keys()]
    const previews = yield* makePreviews
    const shownEdits = yield* makeShownEdits
    const turns = yield* RcMap.make({ lookup: (_key: string) => Effect.makeSemaphore(1) })
    const maxBytes = options.maxBytes ?? 200_000
    const bounds = { attempts: options.attempts ?? 3, maxBytes }

    const withFile = <A, E>(request: Request, use: (target: Target) => Effect.Effect<A, E>) =>
      Effect.gen(function* () {
        const location = yield* locate(names, request.workingDir, request.fileName)
        const { file, folders, name } = location
        if (options.allows?.(file) === false) {
          return yield* new FileRefused({ file, reason: "NotAllowed", allowed: "other files of the same folders" })
        }
        const root = roots.get(location.root) ?? ""
        // On a file system that does not tell cases apart, two names can be one file.
        const key = [root, ...folders, name].join("/").normalize("NFC").toLowerCase()
        const turn = yield* RcMap.get(turns, key)
        return yield* Effect.gen(function* () {
          const folder = yield* openFolder({ file, root, folders, anchored })
          return yield* use({ file, name, folder, found: yield* find(folder, name, file, maxBytes) })
        }).pipe(Effect.scoped, turn.withPermits(1))
      }).pipe(Effect.scoped)

    const proposed = (request: Request, target: Target) =>
      Effect.flatMap(previews.find(request), (remembered): Effect.Effect<Preview, EditFailure> =>
        remembered === undefined
          ? newlyProposed(request, target)
          : // Not made anew in silence: somebody may have agreed to what was shown.
            upToDate(remembered, target.file, target.found)
      )

    const newlyProposed = (request: Request, { file, found }: Target) =>
      Effect.gen(function* () {
        const { instruction } = request
        const { attempts, text } = yield* propose(model, { file, instruction, text: found?.text }, bounds)
        const { added, removed, text: diff } = diffOf(file, found?.text, text)
        const edit = { file, diff, added, removed, created: found === undefined, attempts }
        return new Preview({ request, edit, before: digestOf(found), after: text })
      })

    const make = (preview: Preview, { file, folder, found, name }: Target) =>
      upToDate(preview, file, found).pipe(
        Effect.flatMap(({ after }) => write(folder, name, file, found, after)),
        Effect.as(preview.edit)
      )

    /** What was made, or can no longer be, need not be remembered. */
    const forgetting =
      (request: Request) =>
      <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
        effect.pipe(
          Effect.tap(() => previews.forget(request)),
          Effect.tapError(({ _tag }) => (_tag === "FileChanged" ? previews.forget(request) : Effect.void))
        )

    const shown = (request: Request, target: Target) =>
      Effect.gen(function* () {
        const latest = yield* shownEdits.latest(request)
        if (latest !== undefined && latest[1].before === digestOf(target.found)) {
          return { subject: latest[0], preview: Either.right(latest[1]) }
        }
        const preview = yield* newlyProposed(request, target)
        return { subject: yield* shownEdits.keep(request, Either.right(preview)), preview: Either.right(preview) }
      })

    /** What cannot be made once is not made at a second approval, whatever the file is by then. */
    const endingWithFailure =
      (subject: string | undefined) =>
      <A>(effect: Effect.Effect<A, EditFailure>): Effect.Effect<A, EditFailure> =>
        Effect.tapError(effect, (failure) => shownEdits.end(subject, failure))

    const service: Service = {
      roots: names,
      preview: (request) =>
        withFile(request, (target) =>
          proposed(request, target).pipe(
            Effect.tap((preview) => previews.keep(preview)),
            Effect.tapErrorTag("FileChanged", () => previews.forget(request))
          )
        ),
      apply: (preview) =>
        withFile(preview.request, (target) => make(preview, target).pipe(forgetting(preview.request))),
      edit: (request) =>
        withFile(request, (target) =>
          proposed(request, target).pipe(
            Effect.flatMap((preview) => make(preview, target)),
            forgetting(request)
          )
        ),
      show: (request) =>
        withFile(request, (target) => shown(request, target)).pipe(
          Effect.catchAll((failure) => {
            const preview = Either.left(failure)
            return Effect.map(shownEdits.keep(request, preview), (subject) => ({ subject, preview }))
          })
        ),
      shown: (request, approved) =>
        Effect.flatMap(shownEdits.subjectOf(request, approved), (subject) =>
          shownEdits.find(request, subject).pipe(
            Effect.tap((preview) => withFile(request, ({ file, found }) => upToDate(preview, file, found))),
            endingWithFailure(subject),
            Effect.map((preview) => ({ subject, preview }))
          )
        ),
      makeShown: (request, subject) =>
        shownEdits.find(request, subject).pipe(
          Effect.zipRight(
            withFile(request, (target) =>
              // Looked for again: another approval of it may have been here before.
              Effect.flatMap(shownEdits.find(request, subject), (preview) => make(preview, target)).pipe(
                Effect.tap(({ file }) => shownEdits.end(subject, new PreviewGone({ file, reason: "Made" })))
              )
            )
          ),
          endingWithFailure(subject)
        )
    }
    return service
  })

const upToDate = (preview: Preview, file: string, found: Found | undefined): Effect.Effect<Preview, FileChanged> =>
  preview.before === digestOf(found) ? Effect.succeed(preview) : Effect.fail(new FileChanged({ file }))

/** Nothing, where there is no file. */
const digestOf = (found: Found | undefined): string | null =>
  found === undefined ? null : bytesToHex(sha256(found.bytes))
