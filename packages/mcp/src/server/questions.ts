/** What a call that waits for input asks of the client, where a client of MCP can be asked for it. */
import type { Outcome } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as JsonSchema from "@wield/core/JsonSchema"
import * as Response from "@wield/core/Response"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { type Answer, form, page, type Question, sample } from "../McpRequest.js"
import type { Answers, Questions } from "./incoming.js"

export interface Inquiry {
  readonly questions: Questions
  /** What the answers, decoded by their questions, say to the call. */
  readonly respond: (answers: Answers) => Response.Reply | Response.Deny
}

/** `undefined` where no form of MCP has room for the reply. */
export const inquiryOf = ({ accepts, asks, round }: Outcome.Input): Effect.Effect<Inquiry | undefined> => {
  const key = `tools.wield/input/${round}`
  const forwarded = questionsOf(asks)
  return forwarded === undefined ? askByForm(key, asks, accepts) : forward(key, forwarded, accepts)
}

/** A text, an enumeration or the like is the one field of its form. */
const onlyField = "reply"

const askByForm = (key: string, asks: Json.Json, accepts: Json.JsonSchema): Effect.Effect<Inquiry | undefined> => {
  const field = fieldOf(accepts)
  const schema =
    field === undefined
      ? formOf(accepts)
      : { type: "object", properties: { [onlyField]: field }, required: [onlyField] }
  if (schema === undefined) return Effect.succeed(undefined)
  const message = typeof asks === "string" ? asks : JSON.stringify(asks)
  const replyOf = (content: Json.JsonObject): unknown => (field === undefined ? content : content[onlyField])
  return Effect.map(checkOf(accepts), (isReply) => ({
    questions: {
      [key]: askUntil(
        form({ message, schema }),
        (answer) => answer.action !== "accept" || isReply(replyOf(answer.content))
      )
    },
    respond: (answers) => {
      // The only question is a form, and its answers are decoded so.
      const answer = answers[key] as Answer<Json.JsonObject>
      return answer.action === "accept"
        ? Response.reply(Json.from(replyOf(answer.content)))
        : Response.deny(`the user chose to ${answer.action}`)
    }
  }))
}

/** The questions of another MCP server, which the client answers in its stead. */
const forward = (
  key: string,
  forwarded: { readonly [key: string]: Question<unknown> },
  accepts: Json.JsonSchema
): Effect.Effect<Inquiry> =>
  Effect.map(
    Effect.forEach(Object.entries(forwarded), ([name, question]) =>
      Effect.map(
        checkOf(propertyOf(accepts, name)),
        (isAnswer) => [`${key}/${name}`, askUntil(question, isAnswer)] as const
      )
    ),
    (questions) => ({
      questions: Object.fromEntries(questions),
      respond: (answers) =>
        Response.reply(
          Json.from(Object.fromEntries(Object.keys(forwarded).map((name) => [name, answers[`${key}/${name}`]])))
        )
    })
  )

const propertyOf = ({ properties }: Json.JsonSchema, name: string): Json.JsonSchema => {
  const schema = Json.isObject(properties) ? properties[name] : undefined
  return Json.isObject(schema) ? schema : {}
}

/** A schema that cannot be read refuses no answer here: the call itself says what is wrong with it. */
const checkOf = (schema: Json.JsonSchema): Effect.Effect<(value: unknown) => boolean> =>
  Effect.match(JsonSchema.compile(schema, { formats: "assertion" }), {
    onSuccess: (validator) => (value) => validator.validate(value)._tag === "Right",
    onFailure: () => () => true
  })

/** An answer that does not fit is asked for again. */
const askUntil = <A>(question: Question<A>, isAnswer: (answer: A) => boolean): Question<A> => ({
  ...question,
  decode: (answer) => Option.filter(question.decode(answer), isAnswer)
})

const questionsOf = (asks: Json.Json): { readonly [key: string]: Question<unknown> } | undefined => {
  if (!Json.isObject(asks)) return undefined
  const questions = Object.entries(asks).flatMap(([key, question]) => {
    const read = Json.isObject(question) ? questionOf(question["method"], question["params"]) : undefined
    return read === undefined ? [] : [[key, read] as const]
  })
  return questions.length > 0 && questions.length === Object.keys(asks).length
    ? Object.fromEntries(questions)
    : undefined
}

const questionOf = (method: unknown, params: unknown): Question<unknown> | undefined => {
  if (!Json.isObject(params)) return undefined
  const { message, requestedSchema, url } = params
  switch (method) {
    case "elicitation/create":
      if (typeof message !== "string") return undefined
      if (params["mode"] === "url") return typeof url === "string" ? page({ message, url }) : undefined
      return Json.isObject(requestedSchema) ? form({ message, schema: Json.fromObject(requestedSchema) }) : undefined
    case "sampling/createMessage":
      // They go to the client as they are.
      return sample(params as never)
    default:
      return undefined
  }
}

const simple: ReadonlyArray<unknown> = ["string", "number", "integer", "boolean"]

/** A schema as a field of a form says it: of a simple type, or some texts to choose from. */
const fieldOf = (schema: unknown): Json.JsonObject | undefined => {
  if (!Json.isObject(schema)) return undefined
  const field = Json.fromObject(schema)
  if (simple.includes(field["type"])) return field
  const { const: only, enum: choices = only === undefined ? undefined : [only] } = field
  if (Array.isArray(choices) && choices.every(Predicate.isString)) return { type: "string", ...field, enum: choices }
  // Several of some texts.
  return field["type"] === "array" && fieldOf(field["items"])?.["enum"] !== undefined ? field : undefined
}

/** An object of such fields. */
const formOf = (schema: Json.JsonSchema): Json.JsonObject | undefined => {
  const { properties = {}, required = [], type } = schema
  if (type !== "object" || !Json.isObject(properties)) return undefined
  const fields = Object.entries(properties).map(([name, property]) => [name, fieldOf(property)] as const)
  if (fields.length === 0 || fields.some(([, field]) => field === undefined)) return undefined
  return Json.fromObject({ type, properties: Object.fromEntries(fields), required })
}
