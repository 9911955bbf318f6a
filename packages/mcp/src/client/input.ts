/**
 * What a server asks of its client: input of a person, an answer of a model, the
 * folders it may work in. Servers of 2026-07-28 answer a call with such
 * questions; older ones send requests of their own.
 */
import * as Json from "@wield/core/Json"
import type { CurrentCall } from "@wield/core"
import type { NeedsInput } from "@wield/core/NeedsInput"
import * as Arrays from "effect/Array"
import * as Effect from "effect/Effect"
import type { Elicitation, Inputs, Question } from "./model.js"
import { type McpError, ProtocolViolation } from "../McpError.js"
import { tasksExtension } from "../internal/content.js"
import { askOutside, type Defers, type Kept, mostQuestions, mostRounds, responsesOf, stateOf } from "./deferral.js"

/** What the client tells servers that it can do. */
export const capabilitiesOf = ({ elicit, roots, sample }: Inputs): Json.JsonObject => ({
  ...(elicit === undefined ? {} : { elicitation: { form: {}, url: {} } }),
  ...(sample === undefined ? {} : { sampling: { tools: {} } }),
  ...(roots === undefined ? {} : { roots: {} }),
  extensions: { [tasksExtension]: {} }
})

/** The same for servers before 2026-07-28. They ask while a call is under way, which no one answers later. */
export const legacyCapabilitiesOf = (inputs: Inputs): Json.JsonObject =>
  capabilitiesOf({
    ...inputs,
    elicit: inputs.elicit === "defer" ? undefined : inputs.elicit,
    sample: inputs.sample === "defer" ? undefined : inputs.sample
  })

export type Answer = (method: string, params: Json.JsonObject) => Effect.Effect<Json.JsonObject, unknown>

export const answerWith =
  ({ elicit, roots, sample }: Inputs): Answer =>
  (method, params) => {
    switch (method) {
      case "elicitation/create":
        if (!isAddress(params)) return Effect.fail("it asks to open an address that is neither http nor https")
        if (elicit === "defer") return Effect.as(Effect.logWarning(cannotWait), { action: "cancel" })
        if (elicit !== undefined) return Effect.map(elicit(elicitationOf(params)), Json.fromObject)
        break
      case "sampling/createMessage":
        if (sample === "defer") return Effect.fail(cannotWait)
        if (sample !== undefined) return sample(params)
        break
      case "roots/list":
        if (roots !== undefined) return Effect.succeed({ roots: Json.from(roots) })
        break
    }
    return Effect.fail(`this client does not answer ${method}`)
  }

const cannotWait =
  'The question of an MCP server was cancelled: with "defer", only calls of the toolset wait for a reply, and only those of servers that speak 2026-07-28'

/** What is asked in a call that waits. */
export const readQuestions = (asks: Json.Json): { readonly [key: string]: Question } =>
  Object.fromEntries(
    Object.entries(Json.isObject(asks) ? Json.fromObject(asks) : {}).map(([key, question]) => {
      const { method, params } = Json.isObject(question) ? question : {}
      const given = Json.isObject(params) ? Json.fromObject(params) : {}
      return [key, method === "sampling/createMessage" ? { mode: "sample", request: given } : elicitationOf(given)]
    })
  )

/** Of a page that a person is to open: `javascript:` would run in another one. */
const isAddress = ({ mode, url }: Json.JsonObject): boolean =>
  mode !== "url" || (typeof url === "string" && URL.canParse(url) && /^https?:/i.test(url))

const elicitationOf = (params: Json.JsonObject): Elicitation => {
  const message = String(params["message"] ?? "")
  if (params["mode"] === "url") return { mode: "url", message, url: String(params["url"]) }
  const schema = params["requestedSchema"]
  return { mode: "form", message, requestedSchema: Json.isObject(schema) ? schema : { type: "object" } }
}

/** The program's answers, by the keys of the questions. */
export const answersTo = (
  server: string,
  questions: Json.JsonObject,
  answer: Answer
): Effect.Effect<Json.JsonObject, ProtocolViolation> =>
  Effect.map(
    Effect.forEach(Object.entries(questions), ([key, request]) => {
      const { method, params } = Json.isObject(request) ? request : {}
      const name = String(method)
      return Effect.mapBoth(answer(name, Json.isObject(params) ? Json.fromObject(params) : {}), {
        onFailure: (error) => {
          const why = typeof error === "string" ? error : "it failed"
          return new ProtocolViolation({ server, problem: `its request ${name} was not answered: ${why}` })
        },
        onSuccess: (response) => [key, response] as const
      })
    }),
    (answers) => Object.fromEntries(answers)
  )

/** How the questions of a call are answered. */
export interface Asking {
  readonly answer: Answer
  /** Which questions the call waits for. */
  readonly defers: Defers
  /** The reply that the call goes on with. */
  readonly input: CurrentCall.Call["input"]
}

/** Answers what can be answered now; the call waits for the rest. */
export const answerOrWait = (
  server: string,
  questions: Json.JsonObject,
  { answer, defers, input }: Asking,
  keep: (answers: Json.JsonObject) => Kept
): Effect.Effect<Json.JsonObject, NeedsInput | ProtocolViolation> => {
  // An address of another kind is refused at once.
  const isLater = ([, question]: [string, Json.Json]) =>
    Json.isObject(question) &&
    defers(String(question["method"])) &&
    (!Json.isObject(question["params"]) || isAddress(Json.fromObject(question["params"])))
  const [now, later] = Arrays.partition(Object.entries(questions), isLater)
  const answers = answersTo(server, Object.fromEntries(now), answer)
  return later.length === 0
    ? answers
    : Effect.flatMap(answers, (given) => askOutside(server, Object.fromEntries(later), keep(given), input))
}

/** Sends a request, answers what the server asks, and sends it again, until there is a result. */
export const withRounds = <R extends Json.JsonObject>(
  server: string,
  send: (params: Json.JsonObject) => Effect.Effect<R, McpError>,
  asking: Asking,
  params: Json.JsonObject
): Effect.Effect<R, McpError | NeedsInput> => {
  const broke = (problem: string) => new ProtocolViolation({ server, problem })
  const next = (inputResponses: Json.JsonObject, requestState: Json.Json | undefined): Json.JsonObject => ({
    ...params,
    ...(Object.keys(inputResponses).length === 0 ? {} : { inputResponses }),
    ...(requestState === undefined ? {} : { requestState })
  })
  let asked = 0
  const round = (given: Json.JsonObject, left: number): Effect.Effect<R, McpError | NeedsInput> =>
    Effect.flatMap(send(given), (result) => {
      if (result["resultType"] !== "input_required") return Effect.succeed(result)
      if (left === 0) return Effect.fail(broke(`it asked for input in more than ${mostRounds} rounds`))
      const { inputRequests = {}, requestState } = result
      if (!Json.isObject(inputRequests)) return Effect.fail(broke("its requests for input are invalid"))
      asked += Object.keys(inputRequests).length
      if (asked > mostQuestions) return Effect.fail(broke(`it asked more than ${mostQuestions} questions`))
      return Effect.flatMap(
        answerOrWait(server, inputRequests, asking, (answers) => ({ requestState, answers })),
        (inputResponses) => round(next(inputResponses, requestState), left - 1)
      )
    })
  const { input } = asking
  return input === undefined
    ? round(params, mostRounds)
    : round(next(responsesOf(input), stateOf(input).requestState), mostRounds)
}
