/**
 * Calls whose handlers have ended to ask their client. Nothing has happened yet: such a call begins again, in the same
 * run, so the journal has to know nothing of it, or it would say that it was interrupted.
 */
import type { Journal } from "@wield/core"
import type { Call } from "@wield/core/CurrentCall"
import * as Digest from "@wield/core/Digest"
import { callOf } from "@wield/core/Journal"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Those of one request, by their names. */
export class SuspendedCalls extends Context.Reference<SuspendedCalls>()("@wield/mcp/SuspendedCalls", {
  defaultValue: (): ReadonlySet<string> => new Set()
}) {}

/** No other call has it. What goes on after a reply has another key in the journal than its call. */
export const nameOf = ({ id, idempotencyKey, input, run }: Call): string =>
  input === undefined ? idempotencyKey : nameOfReply(run.id, id)

const nameOfReply = (run: string, call: string | undefined): string => JSON.stringify([run, call])

const isIn = (names: ReadonlySet<string>, key: Journal.Key): boolean =>
  names.has(Digest.ofValues(key.run, key.call, key.digest)) ||
  (key.call.startsWith("reply:") && names.has(nameOfReply(key.run, callOf(key))))

/** The same journal, which forgets a call that is interrupted to ask its client. */
export const givingUp = (journal: Journal.Service): Journal.Service =>
  // What stands before a frozen object could answer with nothing else.
  new Proxy<Journal.Service>(Object.create(journal), {
    get: (_, name) => {
      const operation: unknown = Reflect.get(journal, name)
      if (typeof operation !== "function") return operation
      return name === "interrupt"
        ? (key: Journal.Key) =>
            Effect.flatMap(SuspendedCalls, (names) =>
              isIn(names, key) ? journal.abandon(key) : journal.interrupt(key)
            )
        : operation.bind(journal)
    }
  })
