/** Bodies with something wrong in them. */
import { FastCheck } from "effect"

const oddValue = FastCheck.oneof(
  FastCheck.jsonValue(),
  FastCheck.constant(undefined),
  // No text can be made of the last one.
  FastCheck.constantFrom<unknown>({}, [], [null], "", null, -1, 1e300, { toString: "", valueOf: "" })
)

/** The body with up to three of its values replaced, or fields removed. */
export const mutated = (body: object): FastCheck.Arbitrary<unknown> => {
  let places = 0
  JSON.stringify(body, (_, value: unknown) => {
    places++
    return value
  })
  const change = FastCheck.tuple(FastCheck.nat(places), oddValue)
  return FastCheck.array(change, { minLength: 1, maxLength: 3 }).map((changes) => {
    let at = 0
    const text = JSON.stringify(body, (_, value: unknown) => {
      const change = changes.find(([place]) => place === at)
      at++
      // A copy: one value in two places could stand inside of itself.
      return change === undefined ? value : structuredClone(change[1])
    })
    return text === undefined ? undefined : (JSON.parse(text) as unknown)
  })
}
