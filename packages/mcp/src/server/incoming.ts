/** One request as the engine hands it over. */
import type { Json } from "@wield/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { CannotAsk, type Caller, type Level, type Question } from "../McpRequest.js"
import { isModern } from "./revision.js"
import type { RpcError } from "./rpc.js"

export interface Incoming {
  readonly caller: Caller
  /** What the client has declared that it can do. */
  readonly capabilities: { readonly [name: string]: unknown }
  readonly meta: { readonly [key: string]: unknown } | undefined
  /** The client's answers to what it was asked in the round before, and the state that it was given. */
  readonly answers: { readonly [key: string]: unknown } | undefined
  readonly state: string | undefined
  readonly notify: (method: string, params: Json.JsonObject) => Effect.Effect<void>
  readonly log: (level: Level, data: Json.Json, logger: string | undefined) => Effect.Effect<void>
  /** Sends a request to the client and waits. Only revisions before 2026-07-28 have this. */
  readonly request: (method: string, params: Json.JsonObject) => Effect.Effect<unknown, RpcError>
}

/** What must be asked before the request can go on: the round ends, and the client comes back with answers. */
export class Suspended {
  readonly _tag = "Suspended"
  constructor(readonly questions: Questions) {}
}

export interface Questions {
  readonly [key: string]: Question<unknown>
}

/** The client's answers so far, over all rounds. */
export interface Answers {
  readonly [key: string]: unknown
}

/** The answers to all of the questions; asks for those that are missing. `wait` asks without an end of the round. */
export const ask = (
  incoming: Incoming,
  answers: Answers,
  questions: Questions,
  wait?: (missing: Questions) => Effect.Effect<Answers>
): Effect.Effect<Answers, Suspended | CannotAsk> => {
  const decoded: { [key: string]: unknown } = {}
  const missing: { [key: string]: Question<unknown> } = {}
  for (const [key, question] of Object.entries(questions)) {
    const capability = missingCapability(question, incoming)
    if (capability !== undefined) return Effect.fail(new CannotAsk({ capability }))
    const answer = Object.hasOwn(answers, key) ? question.decode(answers[key]) : Option.none()
    if (Option.isSome(answer)) decoded[key] = answer.value
    else missing[key] = question
  }
  if (Object.keys(missing).length === 0) return Effect.succeed(decoded)
  if (wait !== undefined) return Effect.map(wait(missing), (asked) => ({ ...decoded, ...asked }))
  if (isModern(incoming.caller.revision)) return Effect.fail(new Suspended(missing))
  return Effect.map(
    Effect.forEach(Object.entries(missing), ([key, question]) =>
      Effect.map(askNow(incoming, question), (answer) => [key, answer] as const)
    ),
    (asked) => ({ ...decoded, ...Object.fromEntries(asked) })
  )
}

/** How often a client is asked again that answers something else. */
const attempts = 8

const askNow = (incoming: Incoming, question: Question<unknown>, left = attempts): Effect.Effect<unknown, CannotAsk> =>
  incoming.request(question.method, paramsFor(question, incoming.caller.revision)).pipe(
    Effect.map(question.decode),
    Effect.catchAll(() => Effect.succeedNone),
    Effect.flatMap((answer) => {
      if (Option.isSome(answer)) return Effect.succeed(answer.value)
      return left > 1 && question.needs[0] === "elicitation"
        ? askNow(incoming, question, left - 1)
        : Effect.fail(new CannotAsk({ capability: question.needs.join(".") }))
    })
  )

/** The mode of an elicitation came with 2025-11-25, where a page has an id besides. */
const paramsFor = ({ method, params }: Question<unknown>, revision: string): Json.JsonObject => {
  if (method !== "elicitation/create") return params
  const { mode, ...form } = params
  if (mode === "url") return { ...params, elicitationId: crypto.randomUUID() }
  return revision >= "2025-11-25" ? params : form
}

const missingCapability = ({ needs }: Question<unknown>, { capabilities }: Incoming): string | undefined => {
  const [family, mode] = needs
  if (family === undefined) return undefined
  const declared = capabilities[family]
  if (typeof declared !== "object" || declared === null) return family
  // `elicitation: {}` means forms.
  if (mode === undefined || mode in declared || (mode === "form" && Object.keys(declared).length === 0))
    return undefined
  return needs.join(".")
}
