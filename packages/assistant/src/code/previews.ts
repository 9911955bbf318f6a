/** Edits that have been shown and not yet made, the latest few, by what was asked for. */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import type { Preview, Request } from "../CodeEdit.js"

export interface Previews {
  readonly find: (request: Request) => Effect.Effect<Preview | undefined>
  readonly keep: (preview: Preview) => Effect.Effect<void>
  readonly forget: (request: Request) => Effect.Effect<void>
}

const most = 100

export const makePreviews: Effect.Effect<Previews> = Effect.map(
  Ref.make<ReadonlyMap<string, Preview>>(new Map()),
  (kept) => ({
    find: (request) => Effect.map(Ref.get(kept), (previews) => previews.get(keyOf(request))),
    keep: (preview) =>
      Ref.update(kept, (previews) => new Map([...previews, [keyOf(preview.request), preview] as const].slice(-most))),
    forget: (request) =>
      Ref.update(kept, (previews) => {
        const left = new Map(previews)
        left.delete(keyOf(request))
        return left
      })
  })
)

const keyOf = ({ fileName, instruction, workingDir }: Request): string =>
  JSON.stringify([workingDir, fileName, instruction])
