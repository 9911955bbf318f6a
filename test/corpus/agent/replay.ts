/** A recorded conversation, run again by `Agent.stream`. */
import { Agent, type AgentError, type AgentEvent, type AgentResult, Conversation, type Model, Stop } from "@wield/agent"
import type { Content, Json, Message, ToolDefinition, ToolsetError } from "@wield/core"
import { Cause, Effect, Exit, type Scope, Stream } from "effect"
import type { Received } from "./answering.js"
import { answering } from "./answering.js"
import type { Conversation as Recorded, Step } from "./conversations.js"
import { finalOutput } from "./finalOutput.js"
import { recordedTools } from "./recordedTools.js"

/** What came of one run, which is as long as the user says nothing new. */
export interface Run {
  /** The steps of the recording that it goes through. */
  readonly steps: ReadonlyArray<Step>
  readonly events: ReadonlyArray<AgentEvent.AgentEvent>
  readonly exit: Exit.Exit<AgentResult.AgentResult<unknown, unknown>, unknown>
}

export interface Replay {
  readonly runs: ReadonlyArray<Run>
  readonly received: ReadonlyArray<Received>
}

/** Gives the model of a step, at a server's address. */
export type ModelAt<R> = (url: string, step: Step) => Effect.Effect<Model.Model, never, R>

export const replay = <R>(
  recorded: Recorded,
  isCut: boolean,
  modelAt: ModelAt<R>,
  settingsOf: (step: Step) => Json.JsonObject | undefined
): Effect.Effect<Replay, ToolsetError | AgentError.InvalidAgent, R | Scope.Scope> =>
  Effect.gen(function* () {
    const { steps } = recorded
    const server = yield* answering(
      steps.map(({ exchange }) => exchange),
      isCut
    )
    const models = yield* Effect.forEach(steps, (step) =>
      Effect.map(modelAt(server.url, step), (model) => offering(model, step))
    )
    const output = finalOutput(recorded)
    const toolset = yield* recordedTools(recorded, output?.name)
    const [first] = steps
    const [model] = models
    if (first === undefined || model === undefined) return { runs: [], received: [] }
    const { instructions, prompt, history } = beginning(first.request.messages)
    const entries = yield* Effect.forEach(history, (message) => Conversation.entry(message))
    const conversation = yield* Conversation.make({ entries })
    const runs: Array<Run> = []
    let said = prompt
    for (let from = 0; from < steps.length;) {
      const next = recorded.continuations.findIndex((each, index) => index >= from && each.prompt !== undefined)
      const to = next === -1 ? steps.length : next + 1
      const base = from
      const agent = yield* Agent.make({
        model,
        toolset,
        instructions,
        stop: Stop.steps(to - from),
        output: output?.schema,
        outputTool: { name: output?.name, description: output?.description },
        // A model of a recording may make the same mistake as often as it did.
        mistakes: { perTool: steps.length, total: steps.length * 8 },
        // A recorded model repeats itself as often as it did.
        policy: { repeatGuard: false },
        // All of them: what a later request does not say is not to stay.
        prepare: ({ number }) => Effect.succeed(changes(steps, models, base + number - 1, settingsOf, output?.name))
      })
      const events: Array<AgentEvent.AgentEvent> = []
      const exit = yield* Agent.stream(agent, { conversation, prompt: said }).pipe(
        Stream.runForEach((event) => Effect.sync(() => events.push(event as AgentEvent.AgentEvent))),
        Effect.exit
      )
      const last = events.at(-1)
      runs.push({
        steps: steps.slice(from, to),
        events,
        exit: Exit.flatMap(exit, () =>
          last?._tag === "Done" ? Exit.succeed(last.result) : Exit.die("the last event is not Done")
        )
      })
      if (Exit.isFailure(exit)) break
      said = recorded.continuations[to - 1]?.prompt
      from = to
    }
    return { runs, received: server.received }
  })

/** What the recorded client asked otherwise than before. */
const changes = (
  steps: ReadonlyArray<Step>,
  models: ReadonlyArray<Model.Model>,
  at: number,
  settingsOf: (step: Step) => Json.JsonObject | undefined,
  output: string | undefined
): Agent.Changes => {
  const step = steps[at]
  if (step === undefined) return {}
  return {
    model: models[at],
    instructions: beginning(step.request.messages).instructions,
    offered: step.request.definitions.map(({ name }) => name).filter((name) => name !== output),
    options: optionsOf(step),
    settings: settingsOf(step)
  }
}

/** A client that asked for no cache is not made to ask for one. */
const optionsOf = ({ request: { options } }: Step) => ({ ...options, isCached: options.isCached === true })

/** The model is shown tools that its API defines as that API says them: a toolset made of JSON Schemas cannot. */
const offering = (model: Model.Model, step: Step): Model.Model => {
  const { request } = step
  const own: ReadonlyArray<ToolDefinition.ToolDefinition> = request.definitions.filter(
    ({ provider }) => provider !== undefined
  )
  if (own.length === 0) return model
  const names = new Set(own.map(({ name }) => name))
  return {
    ...model,
    stream: (asked) =>
      model.stream({
        ...asked,
        definitions: [...asked.definitions.filter(({ name }) => !names.has(name)), ...own],
        options: optionsOf(step)
      })
  }
}

interface Beginning {
  readonly instructions: string | undefined
  /** What was said before, as it was sent. */
  readonly history: ReadonlyArray<Message.Message>
  /** What the user says last, as a program says it. */
  readonly prompt: ReadonlyArray<Content.Part> | undefined
}

export const beginning = (messages: ReadonlyArray<Message.Message>): Beginning => {
  const first = messages.findIndex(({ _tag }) => _tag !== "System")
  const leading = messages.slice(0, first === -1 ? messages.length : first)
  const others = messages.slice(leading.length)
  const texts = leading.flatMap((message) => (message._tag === "System" ? [message.text] : []))
  const last = others.at(-1)
  // What stands in one message with results is sent with them.
  const isPrompt = last?._tag === "User" && last.content.length > 0 && last.native?.json.length !== 0
  return {
    instructions: texts.length === 0 ? undefined : texts.join("\n\n"),
    history: isPrompt ? others.slice(0, -1) : others,
    prompt: isPrompt ? last.content : undefined
  }
}

/** Whether it failed by an error that its type names, rather than by a defect. */
export const isTyped = (cause: Cause.Cause<unknown>): boolean => Cause.isFailure(cause) && !Cause.isDie(cause)
