/**
 * What a list of conversations is searched by, and its pages. SQLite and Postgres differ in the
 * letters that they take as equal, so a database looks for `patternOf` only, and
 * what it finds is read and compared here.
 */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { Statement } from "@effect/sql/Statement"
import type { Content, Json, Message } from "@wield/core"
import * as Effect from "effect/Effect"
import type { Entry } from "../Conversation.js"
import { StoreError } from "../ConversationError.js"

/** The key of metadata under which `WaitingCalls` keeps requests. */
export const waitingKey = "wieldWaiting"

export const isWaiting = ({ [waitingKey]: requests }: Json.JsonObject): boolean =>
  Array.isArray(requests) && requests.length > 0

/** The same in SQL. An index has this very expression: a published one is never changed. */
export const waitingCondition = (sql: SqlClient): Statement<object> =>
  sql.onDialectOrElse({
    pg: () => sql`strpos(metadata, '"wieldWaiting":[{') > 0`,
    orElse: () => sql`instr(metadata, '"wieldWaiting":[{') > 0`
  })

/** Two signs stay as they are: in lower case they would be ASCII, which a database cannot know. */
export const fold = (text: string): string => text.replace(/[^\u0130\u212a]+/g, (part) => part.toLowerCase())

/** For `LIKE … ESCAPE '!'` without case: finds each text that contains the query, raw or as JSON, and others. */
export const patternOf = (query: string): string => {
  // SQLite refuses a pattern of 50,000 bytes.
  const parts = Array.from(query.slice(0, 1000), (character) => {
    if (/[%_!]/.test(character)) return `!${character}`
    return isPlain(character) ? character : "%"
  })
  return `%${parts.join("")}%`.replace(/(?<!!)%{2,}/g, "%")
}

/** JSON has it as it is, and a database knows its other case. */
const isPlain = (character: string): boolean =>
  /[a-z]/i.test(character) ||
  (character.toLowerCase() === character.toUpperCase() && !/["\\\p{Cc}\p{Cs}]/u.test(character))

export const hasText = ({ message }: Entry, folded: string): boolean =>
  textsOf(message).some((text) => fold(text).includes(folded))

const textsOf = (message: Message.Message): ReadonlyArray<string> => {
  switch (message._tag) {
    case "System":
      return [message.text]
    case "User":
      return message.content.map(textOf)
    case "Assistant":
      return message.parts.map((part) => (part._tag === "Call" ? "" : part.text))
    case "Results":
      return message.results.flatMap(({ content }) => content.map(textOf))
  }
}

const textOf = (part: Content.Part): string => {
  switch (part._tag) {
    case "Text":
      return part.text
    case "JsonValue":
      return typeof part.value === "string" ? part.value : (JSON.stringify(part.value) ?? "")
    case "Image":
    case "File":
      return ""
  }
}

/**
 * The place after a conversation in a list. As text it names the last
 * conversation of the page before, so that pages neither repeat nor skip one that
 * has stayed in its place.
 */
export interface Place {
  readonly changedAt: number
  readonly id: string
}

export const cursorOf = ({ changedAt, id }: Place): string => `${changedAt}:${id}`

export const readCursor = (cursor: string): Effect.Effect<Place, StoreError> => {
  const match = /^(\d{1,16}):([^]*)$/.exec(cursor)
  return match === null
    ? new StoreError({ operation: "list", detail: "`from` is no `next` of a page: pass on what a list gave" })
    : Effect.succeed({ changedAt: Number(match[1]), id: match[2] ?? "" })
}
