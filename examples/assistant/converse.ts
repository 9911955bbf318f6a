/** One conversation in the terminal: the user's lines to the agent, `/ingest file` to the tools for people. */
import { Agent, ConversationStore, type DeferredCall, type Model } from "@wield/agent"
import { type Assistant, CodeEditor, CodeToolkit, PeopleToolkit, Recall } from "@wield/assistant"
import { Journal, Outcome, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Console, Effect, Option, Stream } from "effect"
import { askAbout } from "../chat/askAbout.js"
import type { Terminal } from "../chat/terminal.js"
import { tools } from "./tools.js"

const instructions = [
  "You are a personal assistant. Keep what the user tells of themself with your tools, without being asked.",
  "Be brief. Files that can be edited are in the folder project."
].join("\n")

export interface Settings {
  readonly model: Model.Model
  readonly terminal: Terminal
  /** Whose memories, goals, documents and log. The model has no say in it. */
  readonly user: string
  readonly conversation: string
}

export const converse = ({ conversation: id, model, terminal, user }: Settings) =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.fromToolkit(tools)
    const agent = yield* Agent.make({
      model,
      toolset,
      instructions,
      // What is in the context, and what the latest messages bring to mind.
      prepare: Recall.prepare(),
      policy: {
        journal: yield* Journal.Journal,
        approval: { make_coding_edit: CodeToolkit.askWithDiff(yield* CodeEditor.CodeEditor) }
      }
    })
    const people = yield* ToolRunner.make(yield* Toolset.fromToolkit(PeopleToolkit.toolkit))
    const conversation = yield* Effect.flatMap(ConversationStore.ConversationStore, (store) => store.openOrCreate(id))
    const context = { user_id: user, conversation_id: id }

    const answer = (input: {
      readonly prompt?: string
      readonly answers?: ReadonlyArray<DeferredCall.Answer>
    }): Effect.Effect<void, never, Assistant.Services> =>
      Effect.gen(function* () {
        const last = yield* Agent.stream(agent, { ...input, conversation, context }).pipe(
          Stream.tap((event) =>
            Effect.sync(() => {
              if (event._tag === "TextDelta") process.stdout.write(event.text)
              if (event._tag === "TurnFinished" && event.turn.parts.some(({ _tag }) => _tag === "Text")) console.log()
              if (event._tag === "CallFinished" && !Outcome.isDeferred(event.outcome)) {
                console.log(`  [${event.call.name}: ${Outcome.text(event.outcome)}]`)
              }
            })
          ),
          Stream.runLast,
          Effect.raceFirst(Effect.as(terminal.cancelled, Option.none()))
        )
        if (Option.isNone(last)) return yield* Console.log("\n  [cancelled]")
        if (last.value._tag !== "Done" || last.value.result._tag !== "Paused") return
        const answers: Array<DeferredCall.Answer> = []
        for (const request of last.value.result.requests) {
          const given = yield* askAbout(terminal, request)
          if (given === undefined) return
          answers.push(given)
        }
        yield* answer({ answers })
      }).pipe(Effect.catchAll((error) => Console.log(`\n  [${error.message}]`)))

    const ingest = (address: string) =>
      Effect.gen(function* () {
        const outcome = yield* people.forRun({ context }).run(ToolCall.make("ingest", "ingest_document", { address }))
        console.log(`  [${Outcome.isDeferred(outcome) ? "waits" : Outcome.text(outcome)}]`)
      })

    // Where a program before this one ended in the middle, this goes on.
    if ((yield* conversation.entries).length > 0) yield* answer({})
    while (true) {
      const line = yield* terminal.ask("> ")
      if (line === undefined) break
      if (line.startsWith("/ingest ")) yield* ingest(line.slice("/ingest ".length).trim())
      else if (line.trim() !== "") yield* answer({ prompt: line })
    }
  }).pipe(Effect.annotateLogs("user_id", user))
