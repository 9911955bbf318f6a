/**
 * A chat in the terminal, with tools of which one asks before it runs, in a file
 * that keeps the conversation. Any provider: of the variables in chat/model.ts
 * the first that is set decides, and WIELD_MODEL names the model. Where none is
 * set, a model and a user that are written down there talk to each other.
 *
 *     ANTHROPIC_API_KEY=… npx tsx examples/chat.ts [--conversation id] [--file path]
 *
 * Ctrl-C ends an answer, and at a question the program; the conversation can be
 * gone on with either way.
 */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import type { Toolkit } from "@effect/ai"
import { NodeHttpClient } from "@effect/platform-node"
import { Agent, type AgentEvent, type ConversationError, ConversationStore, type DeferredCall } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import { Approval, Journal, Outcome, Toolset } from "@wield/core"
import { Console, Effect, Layer, Option, Stream } from "effect"
import { askAbout } from "./chat/askAbout.js"
import { choose, variables } from "./chat/model.js"
import { Notebook, notebookIn } from "./chat/notebook.js"
import { realTerminal, scriptedTerminal, type Terminal } from "./chat/terminal.js"

type Tools = Toolkit.Tools<typeof Notebook>

const show = (event: AgentEvent.AgentEvent<Tools>): void => {
  if (event._tag === "TextDelta") process.stdout.write(event.text)
  if (event._tag === "TurnFinished" && event.turn.parts.some(({ _tag }) => _tag === "Text")) console.log()
  if (event._tag === "TurnBroken" && event.isRetried) console.log(`\n  [${event.error.message}]`)
  if (event._tag === "CallFinished" && !Outcome.isDeferred(event.outcome)) {
    console.log(`  [${event.call.name}: ${Outcome.text(event.outcome)}]`)
  }
}

/** Runs the agent until it has answered, and asks the user about what waits. */
const answer = (
  terminal: Terminal,
  agent: Agent.Agent<Tools>,
  input: Agent.Input<Tools, ConversationError.StoreError>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const last = yield* Agent.stream(agent, input).pipe(
      Stream.tap((event) => Effect.sync(() => show(event))),
      Stream.runLast,
      Effect.raceFirst(Effect.as(terminal.cancelled, Option.none()))
    )
    if (Option.isNone(last)) return yield* Console.log("\n  [cancelled]")
    if (last.value._tag !== "Done") return
    const { result } = last.value
    if (result._tag === "Stopped") console.log(`  [stopped by ${result.by}]`)
    if (result._tag !== "Paused") return
    const answers: Array<DeferredCall.Answer> = []
    for (const request of result.requests) {
      const given = yield* askAbout(terminal, request)
      if (given === undefined) return
      answers.push(given)
    }
    yield* answer(terminal, agent, { conversation: result.conversation, answers })
  }).pipe(Effect.catchAll((error) => Console.log(`\n  [${error.message}]`)))

const { values } = parseArgs({ options: { conversation: { type: "string" }, file: { type: "string" } } })

const program = Effect.gen(function* () {
  const { model, user } = yield* choose(process.env)
  const terminal = user === undefined ? yield* realTerminal : scriptedTerminal(user)
  if (user !== undefined) console.log(`For a real model, set one of ${variables.join(", ")}.\n`)

  const agent = yield* Agent.make({
    model,
    toolset: yield* Toolset.fromToolkit(Notebook),
    instructions: "You keep the user's notes. Be brief.",
    policy: { journal: yield* Journal.Journal, approval: { write_note: () => Approval.ask("it writes to your notes") } }
  })
  const store = yield* ConversationStore.ConversationStore
  const conversation = yield* values.conversation === undefined
    ? store.create()
    : store.openOrCreate(values.conversation)

  // Where a program before this one ended in the middle, this goes on.
  if ((yield* conversation.entries).length > 0) yield* answer(terminal, agent, { conversation })
  while (true) {
    const prompt = yield* terminal.ask("> ")
    if (prompt === undefined) break
    if (prompt.trim() !== "") yield* answer(terminal, agent, { conversation, prompt })
  }
  console.log(`\nTo go on: npx tsx examples/chat.ts --file ${file} --conversation ${JSON.stringify(conversation.id)}`)
})

const file = values.file ?? join(mkdtempSync(join(tmpdir(), "wield-chat-")), "chat.db")
const layers = Layer.mergeAll(
  FileStore.layer({ path: file }),
  notebookIn(`${file}.notes.txt`),
  NodeHttpClient.layerUndici
)
await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(layers)))
