/** Pages of a list. A cursor names the last item of the page before, so it survives a list that changes. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import { invalidParams, type RpcError } from "./rpc.js"

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly nextCursor?: string
}

export const pageOf = <A>(
  all: ReadonlyArray<A>,
  nameOf: (item: A) => string,
  cursor: string | undefined,
  size: number
): Effect.Effect<Page<A>, RpcError> => {
  if (cursor === undefined && all.length <= size) return Effect.succeed({ items: all })
  let start = 0
  if (cursor !== undefined) {
    const last = Either.getOrUndefined(Encoding.decodeBase64UrlString(cursor))
    start = all.findIndex((item) => nameOf(item) === last) + 1
    if (start === 0) return Effect.fail(invalidParams("The cursor is invalid; list again from the start"))
  }
  const items = all.slice(start, start + size)
  const final = items.at(-1)
  return Effect.succeed(
    final === undefined || start + size >= all.length
      ? { items }
      : { items, nextCursor: Encoding.encodeBase64Url(nameOf(final)) }
  )
}
