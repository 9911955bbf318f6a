/** Tools with which a model thinks over memories and the conversation, by a language model of their own. */
import type { AiError } from "@effect/ai"
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Tool from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CurrentContext } from "./CurrentContext.js"
import { toText as goalToText } from "./Goal.js"
import { Goals } from "./Goals.js"
import { Memories } from "./Memories.js"
import { toText as memoryToText } from "./Memory.js"
import { conversing, owned } from "./Owner.js"
import { askForWhole, contemplationOf, type CutOff, examinationOf, notesIn, usedNotes } from "./recall/prompts.js"
import { SearchIndex } from "./SearchIndex.js"
import { adviceField } from "./store/advice.js"
import { orDie } from "./store/operation.js"
import { failsWith, ofConversation, ofUser, reads, textOf } from "./tools/facts.js"
import { Transcript } from "./Transcript.js"

/**
 * The language model that was asked for help gave none.
 *
 * @category errors
 */
export class ModelUnavailable extends Schema.TaggedError<ModelUnavailable>("@wield/assistant/ModelUnavailable")(
  "ModelUnavailable",
  { advice: adviceField("Think about it yourself") }
) {
  override get message(): string {
    return `The language model that this tool asks for help gave no answer. ${this.advice}`
  }
}

/**
 * What an answer was made of.
 *
 * @category models
 */
export const Note = Schema.Struct({
  type: Schema.Literal("memory", "goal"),
  name: Schema.String,
  text: Schema.String
})

/**
 * Tools with which a model thinks.
 *
 * @category toolkits
 */
export const toolkit = Toolkit.make(
  Tool.make("examine_memories", {
    description:
      "Answers a question from what you remember and from the user's goals, and tells which of them the answer is from.",
    parameters: {
      ...owned,
      query: textOf("What you want to know")
    },
    success: Schema.Struct({
      /** `null` where nothing was found, or no model put it in words. */
      answer: Schema.NullOr(Schema.String),
      search: Schema.Literal("words", "words and meaning"),
      sources: Schema.Array(Note)
    })
  }).pipe(ofUser(reads)),
  Tool.make("contemplate", {
    description: "Thinks about the conversation, with the memories and goals that are in its context.",
    parameters: {
      ...conversing,
      contemplation_prompt: Schema.optional(
        textOf("What to think about. Unless given, about the conversation as a whole")
      )
    },
    success: Schema.Struct({ thoughts: Schema.String }),
    ...failsWith(ModelUnavailable)
  }).pipe(ofConversation(reads))
)

type NoAnswer = AiError.AiError | CutOff | "no model"

type Ask = (prompt: string) => Effect.Effect<string, NoAnswer>

const warn = (what: string) => (error: NoAnswer) =>
  error === "no model" ? Effect.void : Effect.logWarning(what, error.message)

const handlers = (ask: Ask) =>
  Effect.gen(function* () {
    const memories = yield* Memories
    const goals = yield* Goals
    const index = yield* SearchIndex
    const context = yield* CurrentContext
    const transcript = yield* Transcript
    return toolkit.of({
      examine_memories: ({ query, user_id }) =>
        Effect.gen(function* () {
          const [remembered, aims] = yield* Effect.all([
            index.search(user_id, { text: query, types: ["memory"] }),
            index.search(user_id, { text: query, types: ["goal"] })
          ])
          const search = remembered.kind
          const notes = notesIn([...remembered.hits, ...aims.hits])
          if (notes.length === 0) return { answer: null, search, sources: [] }
          const answer = yield* ask(examinationOf(query, notes)).pipe(
            Effect.tapError(warn("No answer was made of memories: the language model gave none")),
            Effect.orElseSucceed(() => null)
          )
          return { answer, search, sources: answer === null ? notes : usedNotes(answer, notes) }
        }).pipe(orDie),
      contemplate: ({ contemplation_prompt, conversation_id, user_id }) =>
        Effect.gen(function* () {
          const members = yield* context.members(user_id, conversation_id)
          const ids = members.map(({ id }) => id)
          const remembered = yield* memories.byIds(user_id, ids)
          const aims = yield* goals.byIds(user_id, ids)
          const known = [...remembered.map(memoryToText), ...aims.map(({ goal }) => goalToText(goal))]
          const lines = yield* transcript.last(conversation_id, mostLines)
          const thoughts = yield* ask(contemplationOf(contemplation_prompt, known, lines)).pipe(
            Effect.tapError(warn("Nothing was contemplated: the language model gave no answer")),
            Effect.mapError(() => new ModelUnavailable())
          )
          return { thoughts }
        }).pipe(orDie)
    })
  })

/** Of a long conversation the last lines are thought about. */
const mostLines = 200

/**
 * The handlers of the toolkit, which ask the language model of the program.
 *
 * @category layers
 */
export const layer = toolkit.toLayer(
  Effect.flatMap(LanguageModel.LanguageModel, (model) => handlers((prompt) => askForWhole(model, prompt)))
)

/**
 * The handlers without a language model: memories are found, not put in words; contemplating fails.
 *
 * @category layers
 */
export const layerWithoutModel = toolkit.toLayer(handlers(() => Effect.fail("no model")))
