import { afterAll } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"

/** Makes for all tests of a file, when the first needs it, what takes longer to start than it is used. */
export const shareInFile = <A, E, R>(make: Effect.Effect<A, E, R>) => {
  const scope = Effect.runSync(Scope.make())
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return Effect.runSync(Effect.cached(Scope.extend(make, scope)))
}
