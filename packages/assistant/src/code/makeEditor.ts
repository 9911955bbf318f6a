/** Puts the parts of an edit together: where, what is there, what a model proposes, writing it. */
import { resolve } from "node:path"
import * as LanguageModel from "@effect/ai/LanguageModel"
import { isYes } from "@wield/core/Options"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatch, structuredPatch } from "diff"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as RcMap from "effect/RcMap"
import * as Ref from "effect/Ref"
import { Preview, type Request } from "../CodeEdit.js"
import type { Options, Service } from "../CodeEditor.js"
import { type EditFailure, FileChanged, FileRefused, InvalidRoot, PreviewGone } from "../CodeError.js"
import { type Folder, locate, openFolder } from "./folder.js"
import { toLines } from "./lines.js"
import { propose } from "./propose.js"
import { keyOf, makeShownEdits, most } from "./shown.js"
import * as system from "./system.js"
import { type CurrentFile, readCurrent, write } from "./write.js"

/** The file of a request. Only one edit of it runs in this editor at a time. */
interface Target {
  readonly file: string
  readonly name: string
  readonly folder: Folder
  readonly found: CurrentFile | undefined
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
        if (options.allows !== undefined && !isYes(options.allows(file), "`allows`")) {
          return yield* new FileRefused({ file, reason: "NotAllowed", allowed: "other files of the same folders" })
        }
        const root = roots.get(location.root) ?? ""
        // On a file system that does not tell cases apart, two names can be one file.
        const key = [root, ...folders, name].join("/").normalize("NFC").toLowerCase()
        const turn = yield* RcMap.get(turns, key)
        return yield* Effect.gen(function* () {
          const folder = yield* openFolder({ file, root, folders, openAnchored: anchored })
          return yield* use({ file, name, folder, found: yield* readCurrent(folder, name, file, maxBytes) })
        }).pipe(Effect.scoped, turn.withPermits(1))
      }).pipe(Effect.scoped)

    const previewOf = (request: Request, target: Target) =>
      Effect.flatMap(previews.find(request), (remembered): Effect.Effect<Preview, EditFailure> =>
        remembered === undefined
          ? proposeEdit(request, target)
          : // Not made again in silence: a person may have agreed to what was shown.
            checkUnchanged(remembered, target.file, target.found)
      )

    const proposeEdit = (request: Request, { file, found }: Target) =>
      Effect.gen(function* () {
        const { instruction } = request
        const { attempts, text } = yield* propose(model, { file, instruction, text: found?.text }, bounds)
        const { added, removed, text: diff } = diffOf(file, found?.text, text)
        const edit = { file, diff, added, removed, created: found === undefined, attempts }
        return new Preview({ request, edit, before: digestOf(found), after: text })
      })

    const make = (preview: Preview, { file, folder, found, name }: Target) =>
      checkUnchanged(preview, file, found).pipe(
        Effect.flatMap(({ after }) => write(folder, name, file, found, after)),
        Effect.as(preview.edit)
      )

    /** What was made, or can no longer be, need not be remembered. */
    const forgetAfter =
      (request: Request) =>
      <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
        effect.pipe(
          Effect.tap(() => previews.forget(request)),
          Effect.tapError(({ _tag }) => (_tag === "FileChanged" ? previews.forget(request) : Effect.void))
        )

    const showEdit = (request: Request, target: Target) =>
      Effect.gen(function* () {
        const latest = yield* shownEdits.latest(request)
        if (latest !== undefined && latest[1].before === digestOf(target.found)) {
          return { subject: latest[0], preview: Either.right(latest[1]) }
        }
        const preview = yield* proposeEdit(request, target)
        return { subject: yield* shownEdits.keep(request, Either.right(preview)), preview: Either.right(preview) }
      })

    /** What cannot be made once is not made at a second approval, whatever the file is by then. */
    const endOnFailure =
      (subject: string | undefined) =>
      <A>(effect: Effect.Effect<A, EditFailure>): Effect.Effect<A, EditFailure> =>
        Effect.tapError(effect, (failure) => shownEdits.end(subject, failure))

    const service: Service = {
      roots: names,
      preview: (request) =>
        withFile(request, (target) =>
          previewOf(request, target).pipe(
            Effect.tap((preview) => previews.keep(preview)),
            Effect.tapErrorTag("FileChanged", () => previews.forget(request))
          )
        ),
      apply: (preview) =>
        withFile(preview.request, (target) => make(preview, target).pipe(forgetAfter(preview.request))),
      edit: (request) =>
        withFile(request, (target) =>
          previewOf(request, target).pipe(
            Effect.flatMap((preview) => make(preview, target)),
            forgetAfter(request)
          )
        ),
      show: (request) =>
        withFile(request, (target) => showEdit(request, target)).pipe(
          Effect.catchAll((failure) => {
            const preview = Either.left(failure)
            return Effect.map(shownEdits.keep(request, preview), (subject) => ({ subject, preview }))
          })
        ),
      shown: (request, approved) =>
        Effect.flatMap(shownEdits.subjectOf(request, approved), (subject) =>
          shownEdits.find(request, subject).pipe(
            Effect.tap((preview) => withFile(request, ({ file, found }) => checkUnchanged(preview, file, found))),
            endOnFailure(subject),
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
          endOnFailure(subject)
        )
    }
    return service
  })

const checkUnchanged = (
  preview: Preview,
  file: string,
  found: CurrentFile | undefined
): Effect.Effect<Preview, FileChanged> =>
  preview.before === digestOf(found) ? Effect.succeed(preview) : Effect.fail(new FileChanged({ file }))

const digestOf = (found: CurrentFile | undefined): string | null =>
  found === undefined ? null : bytesToHex(sha256(found.bytes))

const makePreviews = Effect.map(Ref.make<ReadonlyMap<string, Preview>>(new Map()), (kept) => ({
  find: (request: Request) => Effect.map(Ref.get(kept), (previews) => previews.get(keyOf(request))),
  keep: (preview: Preview) =>
    Ref.update(kept, (previews) => new Map([...previews, [keyOf(preview.request), preview] as const].slice(-most))),
  forget: (request: Request) =>
    Ref.update(kept, (previews) => {
      const left = new Map(previews)
      left.delete(keyOf(request))
      return left
    })
}))

const resolveRoots = (roots: Readonly<Record<string, string>>) =>
  Effect.map(
    Effect.forEach(Object.entries(roots), ([name, path]) =>
      Effect.gen(function* () {
        const invalidRoot = (what: string) => new InvalidRoot({ name, path, expected: what })
        if (!/^[^\s/\\:~.][^/\\:\p{Cc}]*$/u.test(name)) {
          return yield* invalidRoot('under a name without "/", "\\" and ":" that begins with neither a dot nor a space')
        }
        // The application may configure a link; from there on none is followed.
        const real = yield* system
          .realPath(resolve(path))
          .pipe(Effect.mapError(() => invalidRoot("a folder that exists")))
        const found = yield* system.stat(real).pipe(Effect.mapError(() => invalidRoot("a folder that can be read")))
        return found.isDirectory() ? ([name, real] as const) : yield* invalidRoot("a folder")
      })
    ),
    (entries) => new Map(entries)
  )

/** The smallest diff takes the square of its length: beyond so many changes all lines are removed and added. */
const mostChanges = 1000

const diffOf = (file: string, before: string | undefined, after: string) => {
  // What git writes, so that `git apply` takes it.
  const from = before === undefined ? "/dev/null" : `a/${file}`
  const patch: StructuredPatch =
    structuredPatch(from, `b/${file}`, before ?? "", after, undefined, undefined, {
      context: 3,
      maxEditLength: mostChanges
    }) ?? whole(from, `b/${file}`, before ?? "", after)
  const changes = patch.hunks.flatMap(({ lines }) => lines)
  return {
    text: formatPatch(patch, FILE_HEADERS_ONLY),
    added: changes.filter((line) => line.startsWith("+")).length,
    removed: changes.filter((line) => line.startsWith("-")).length
  }
}

const whole = (oldFileName: string, newFileName: string, before: string, after: string): StructuredPatch => {
  const [removed, added] = [side("-", before), side("+", after)]
  return {
    oldFileName,
    newFileName,
    oldHeader: undefined,
    newHeader: undefined,
    hunks: [
      {
        oldStart: removed.count === 0 ? 0 : 1,
        oldLines: removed.count,
        newStart: added.count === 0 ? 0 : 1,
        newLines: added.count,
        lines: [...removed.lines, ...added.lines]
      }
    ]
  }
}

const side = (sign: string, text: string) => {
  const { lines, mark } = toLines(text)
  const shown = lines.map(
    (line, index) => sign + (index === 0 ? mark : "") + line.text + (line.end === "\r\n" ? "\r" : "")
  )
  return {
    count: lines.length,
    lines: lines.at(-1)?.end === "" ? [...shown, "\\ No newline at end of file"] : shown
  }
}
