/** What was shown to the person who approves, by the subject of an approval. What was made or refused stays so. */
import type { Approval } from "@wield/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Ref from "effect/Ref"
import type { Preview, Request } from "../CodeEdit.js"
import { type EditFailure, PreviewGone } from "../CodeError.js"
import * as Digest from "@wield/core/Digest"

type Shown = Either.Either<Preview, EditFailure>

interface Kept {
  readonly request: Request
  readonly shown: Shown
}

export const most = 100

const prefix = "code-edit:"

/** Whether the subject is one of an edit that was shown, here or by another editor. */
export const isOfEdit = (subject: string | undefined): subject is string => subject?.startsWith(prefix) === true

export const makeShownEdits = Effect.map(Ref.make<ReadonlyMap<string, Kept>>(new Map()), (all) => ({
  /** The latest that was shown for such a request and can still be made. */
  latest: (request: Request) =>
    Effect.map(Ref.get(all), (kept) => {
      for (const [subject, { request: asked, shown }] of [...kept].reverse()) {
        if (Either.isRight(shown) && isSame(asked, request)) return [subject, shown.right] as const
      }
      return undefined
    }),
  /** Gives the subject of an approval of it. */
  keep: (request: Request, shown: Shown) =>
    Effect.suspend(() => {
      const subject = subjectOf(request, shown)
      return Effect.as(
        Ref.update(all, (kept) => new Map([...kept, [subject, { request, shown }] as const].slice(-most))),
        subject
      )
    }),
  subjectOf: (request: Request, approved: Approval.Approved) =>
    Effect.flatMap(Ref.get(all), (kept) => {
      const subject = [...kept.keys()].find((subject) => approved.isOf(subject))
      if (subject !== undefined) return Effect.succeed(subject)
      const reason = approved.isOf(undefined) ? "NotShown" : "Forgotten"
      return new PreviewGone({ file: fileOf(request), reason })
    }),
  find: (request: Request, subject: string | undefined) =>
    Effect.flatMap(Ref.get(all), (kept): Shown => {
      const found = subject === undefined ? undefined : kept.get(subject)
      const file = fileOf(request)
      if (!isOfEdit(subject)) return Either.left(new PreviewGone({ file, reason: "NotShown" }))
      if (found === undefined) return Either.left(new PreviewGone({ file, reason: "Forgotten" }))
      return isSame(found.request, request)
        ? found.shown
        : Either.left(new PreviewGone({ file, reason: "OtherArguments" }))
    }),
  end: (subject: string | undefined, failure: EditFailure) =>
    Ref.update(all, (kept) => {
      const ended = subject === undefined ? undefined : kept.get(subject)
      return subject === undefined || ended === undefined || Either.isLeft(ended.shown)
        ? kept
        : new Map([...kept, [subject, { request: ended.request, shown: Either.left(failure) }] as const])
    })
}))

/** It stands for this one time: who is shown the same again after a refusal is asked again. */
const subjectOf = (request: Request, shown: Shown): string => {
  const content = Either.isRight(shown) ? [shown.right.before, shown.right.after, shown.right.edit.diff] : []
  return prefix + Digest.ofText(JSON.stringify([crypto.randomUUID(), keyOf(request), ...content]))
}

const fileOf = ({ fileName, workingDir }: Request): string => `${workingDir}/${fileName}`

const isSame = (one: Request, other: Request): boolean => keyOf(one) === keyOf(other)

export const keyOf = ({ fileName, instruction, workingDir }: Request): string =>
  JSON.stringify([workingDir, fileName, instruction])
