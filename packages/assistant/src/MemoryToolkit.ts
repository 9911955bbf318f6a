/** Tools with which a model remembers, by names and texts or by short notes: both are the same memories. */
import * as Tool from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CurrentContext } from "./CurrentContext.js"
import { Memories } from "./Memories.js"
import { type Memory, type Source, type SourceType, sourceTypes } from "./Memory.js"
import { InvalidMemory, MemoryNotFound, SourceNotFound } from "./MemoryError.js"
import { conversing, type ConversationId, owned } from "./Owner.js"
import * as Digest from "@wield/core/Digest"
import { isUnspaced, keyWords } from "./search/terms.js"
import { orDie } from "./store/operation.js"
import { adds, countUpTo, deletes, failsWith, ofConversation, ofUser, reads, sets, textOf } from "./tools/facts.js"
import { type Line, Transcript } from "./Transcript.js"

const memoryName = textOf("The exact name of the memory")

/**
 * A memory as tools give it.
 *
 * @category models
 */
export class Remembered extends Schema.Class<Remembered>("@wield/assistant/Remembered")({
  /** How people and models name it. */
  number: Schema.Int,
  name: Schema.String,
  text: Schema.String,
  /** From 1 to 10. */
  importance: Schema.Int,
  changed: Schema.DateTimeUtc
}) {}

const renderMemory = ({ changed, importance, name, number, text }: Memory): Remembered =>
  new Remembered({ number, name, text, importance, changed: DateTime.unsafeMake(changed) })

/** Names the parameter that the model gave: the name and the text of the memory are made of it. */
const asParameter =
  (parameter: string) =>
  <E>(error: E): E | InvalidMemory =>
    error instanceof InvalidMemory
      ? new InvalidMemory({ field: parameter, expected: "what there is to remember" })
      : error

/**
 * Tools for memories by their names.
 *
 * @category toolkits
 */
export const toolkit = Toolkit.make(
  Tool.make("create_memory", {
    description:
      'Remembers something about the user or their world for later conversations. One memory is about one subject: split what is about two. Name it so that it differs from others by its name alone: with who and what it is about, and dates in full (2026-03-14, not "this weekend"). It is put in the current context.',
    parameters: {
      ...conversing,
      name: textOf("What the memory is about. At most 200 characters"),
      text: textOf("What there is to remember")
    },
    success: Remembered,
    ...failsWith(InvalidMemory)
  }).pipe(ofConversation(adds)),
  Tool.make("print_memory", {
    description: "Shows a memory by its exact name.",
    parameters: { ...owned, memory_name: memoryName },
    success: Remembered,
    ...failsWith(MemoryNotFound)
  }).pipe(ofUser(reads)),
  Tool.make("update_outdated_or_incorrect_memory", {
    description:
      "Adds to a memory that has become outdated or has turned out to be wrong. For something new, create a memory instead.",
    parameters: { ...owned, memory_name: memoryName, update_text: textOf("What is different now") },
    success: Remembered,
    ...failsWith(MemoryNotFound, InvalidMemory)
  }).pipe(ofUser(adds)),
  Tool.make("add_memory_to_current_context", {
    description: "Keeps a memory before you in this conversation, until it is dropped from the context.",
    parameters: { ...conversing, memory_name: memoryName },
    success: Schema.Struct({ added: Schema.String }),
    ...failsWith(MemoryNotFound)
  }).pipe(ofConversation(sets)),
  Tool.make("drop_memory_from_current_context", {
    description: "No longer keeps a memory before you in this conversation. The memory itself stays as it is.",
    parameters: { ...conversing, memory_name: memoryName },
    success: Schema.Struct({ dropped: Schema.String }),
    ...failsWith(MemoryNotFound)
  }).pipe(ofConversation(sets)),
  Tool.make("get_source_list_for_memory", {
    description: "Lists what a memory was made of: earlier memories, goals, conversations, excerpts of documents.",
    parameters: { ...owned, memory_name: memoryName },
    success: Schema.Array(Schema.Struct({ source_type: Schema.String, source_name: Schema.String })),
    ...failsWith(MemoryNotFound)
  }).pipe(ofUser(reads)),
  Tool.make("get_source_content", {
    description: "Shows a source of a memory, as get_source_list_for_memory lists it, with the text it had then.",
    parameters: {
      ...owned,
      source_type: textOf(`One of ${sourceTypes.join(", ")}`),
      source_name: textOf("The name of the source")
    },
    success: Schema.Struct({ source_type: Schema.String, source_name: Schema.String, text: Schema.String }),
    ...failsWith(SourceNotFound)
  }).pipe(ofUser(reads))
)

/**
 * The handlers of the toolkit. A new memory has the last lines of the conversation (`Transcript`) as its source.
 *
 * @category layers
 */
export const layer = toolkit.toLayer(
  Effect.gen(function* () {
    const memories = yield* Memories
    const context = yield* CurrentContext
    const transcript = yield* Transcript
    return {
      create_memory: ({ conversation_id, name, text, user_id }) =>
        Effect.gen(function* () {
          const sources = transcriptSource(conversation_id, yield* transcript.last(conversation_id, 20))
          const memory = yield* memories.create(user_id, { name, text, sources })
          yield* context.add(user_id, conversation_id, { type: "memory", id: memory.id })
          return renderMemory(memory)
        }).pipe(orDie),
      print_memory: ({ memory_name, user_id }) =>
        memories.get(user_id, memory_name).pipe(Effect.map(renderMemory), orDie),
      update_outdated_or_incorrect_memory: ({ memory_name, update_text, user_id }) =>
        memories
          .update(user_id, memory_name, update_text)
          .pipe(Effect.mapError(asParameter("update_text")), Effect.map(renderMemory), orDie),
      add_memory_to_current_context: ({ conversation_id, memory_name, user_id }) =>
        Effect.gen(function* () {
          const { id } = yield* memories.get(user_id, memory_name)
          yield* context.add(user_id, conversation_id, { type: "memory", id })
          return { added: memory_name }
        }).pipe(orDie),
      drop_memory_from_current_context: ({ conversation_id, memory_name, user_id }) =>
        Effect.gen(function* () {
          const { id, name } = yield* memories.get(user_id, memory_name)
          // Several memories may have the name, and no name would reach the older ones.
          const members = yield* context.members(user_id, conversation_id)
          const namesakes = (yield* memories.byIds(
            user_id,
            members.map((member) => member.id)
          )).filter((memory) => memory.name === name)
          for (const member of new Set([id, ...namesakes.map((memory) => memory.id)])) {
            yield* context.drop(user_id, conversation_id, { type: "memory", id: member })
          }
          return { dropped: memory_name }
        }).pipe(orDie),
      get_source_list_for_memory: ({ memory_name, user_id }) =>
        orDie(
          Effect.map(memories.sources(user_id, memory_name), (sources) =>
            sources.map(({ name, type }) => ({ source_type: type, source_name: name }))
          )
        ),
      get_source_content: ({ source_name, source_type, user_id }) =>
        isSourceType(source_type)
          ? memories.source(user_id, source_type, source_name).pipe(
              Effect.map(({ name, text, type }) => ({ source_type: type, source_name: name, text })),
              orDie
            )
          : new SourceNotFound({ type: source_type, name: source_name, types: sourceTypes, known: [] })
    }
  })
)

const Listed = Schema.Struct({
  /** How it was searched. */
  search: Schema.Literal("words", "words and meaning"),
  memories: Schema.Array(Remembered)
})

/**
 * Tools for memories as notes.
 *
 * @category toolkits
 */
export const noteToolkit = Toolkit.make(
  Tool.make("save_memory", {
    description:
      "Notes something for later conversations in a sentence or two, with how important it is. Its first line becomes its name. It is not put in the current context.",
    parameters: {
      ...owned,
      content: textOf("What there is to remember"),
      importance: Schema.optional(
        Schema.Int.annotations({
          description: "From 1 to 10; 5 unless given. What lies beyond is taken for the nearest"
        })
      )
    },
    success: Remembered,
    ...failsWith(InvalidMemory)
  }).pipe(ofUser(adds)),
  Tool.make("search_memory", {
    description: "Finds memories by what they are about, the best first, with their names and numbers.",
    parameters: {
      ...owned,
      query: textOf("What to find"),
      limit: countUpTo(100, "At most so many; 10 unless given")
    },
    success: Listed
  }).pipe(ofUser(reads)),
  Tool.make("get_recent_memories", {
    description: "The newest memories.",
    parameters: {
      ...owned,
      count: countUpTo(100, "How many; 10 unless given")
    },
    success: Schema.Array(Remembered)
  }).pipe(ofUser(reads)),
  Tool.make("delete_memory", {
    description:
      "Deletes a memory for good, with what it was before it was updated. It is named by its number, which all tools that show memories tell.",
    parameters: { ...owned, memory_id: Schema.Int.annotations({ description: "The number of the memory" }) },
    success: Schema.Struct({ deleted: Remembered }),
    ...failsWith(MemoryNotFound)
  }).pipe(ofUser(deletes))
)

/**
 * The handlers of the tools for notes.
 *
 * @category layers
 */
export const noteLayer = noteToolkit.toLayer(
  Effect.gen(function* () {
    const memories = yield* Memories
    return {
      save_memory: ({ content, importance = 5, user_id }) =>
        memories
          .create(user_id, {
            name: titleOf(content),
            text: content,
            importance: Math.min(10, Math.max(1, importance)),
            keywords: keywordsOf(content)
          })
          .pipe(Effect.mapError(asParameter("content")), Effect.map(renderMemory), orDie),
      search_memory: ({ limit = 10, query, user_id }) =>
        orDie(
          Effect.map(memories.search(user_id, query, limit), ({ kind, memories }) => ({
            search: kind,
            memories: memories.map(renderMemory)
          }))
        ),
      get_recent_memories: ({ count = 10, user_id }) =>
        orDie(Effect.map(memories.recent(user_id, count), (found) => found.map(renderMemory))),
      delete_memory: ({ memory_id, user_id }) =>
        orDie(Effect.map(memories.delete(user_id, memory_id), (memory) => ({ deleted: renderMemory(memory) })))
    }
  })
)

const isSourceType = (type: string): type is SourceType => sourceTypes.some((known) => known === type)

/** A conversation as it was: the same lines have the same name. */
const transcriptSource = (conversation: ConversationId, lines: ReadonlyArray<Line>): ReadonlyArray<Source> => {
  if (lines.length === 0) return []
  const text = lines.map(({ role, text }) => `${role}: ${text}`).join("\n")
  return [{ type: "ContextMessageSet", name: Digest.ofText(`${conversation}\n${text}`).slice(0, 12), text }]
}

/** A note has no name of its own: its first line, not cut within a word. */
const titleOf = (content: string): string => {
  const [line = ""] = content.trim().split("\n")
  if (line.length <= longest) return line
  const cut = line.slice(0, longest)
  return `${cut.slice(0, cut.lastIndexOf(" ") > 0 ? cut.lastIndexOf(" ") : longest)}…`
}

const longest = 60

/** Of a longer text the first words. */
const most = 24

/** The words that say what a text is about, in alphabetical order. */
const keywordsOf = (text: string): ReadonlyArray<string> =>
  [
    ...new Set(
      keyWords(text)
        .slice(0, most)
        .filter((word) => word.length > (isUnspaced(word) ? 1 : 2))
    )
  ].sort()
