/**
 * An agent whose prompts say what it does: `Do order 1: pay, look / refund` is a
 * turn with two calls, one with another, and the answer. The model keeps nothing,
 * so that any process goes on with the conversation.
 */
import { Tool, Toolkit } from "@effect/ai"
import { Agent, type Model } from "@wield/agent"
import { Approval, CurrentCall, Journal, type Message, Response, Toolset } from "@wield/core"
import { FunctionModel, ScriptedModel } from "@wield/testing"
import { Context, type Duration, Effect, type Redacted, Schema } from "effect"

const parameters = { item: Schema.String }
const success = Schema.String

const Shop = Toolkit.make(
  Tool.make("look", { parameters, success }).annotate(Tool.Readonly, true).annotate(Tool.Destructive, false),
  Tool.make("pay", { parameters, success }),
  Tool.make("refund", { parameters, success }),
  Tool.make("reserve", { parameters, success }).annotate(Tool.Idempotent, true)
)

/** What the tools do. */
export class Effects extends Context.Tag("test/cluster/Effects")<
  Effects,
  { readonly happen: (tool: string, item: string, key: string) => Effect.Effect<void> }
>() {}

/** The calls of each turn that a prompt asks for. */
export const planOf = (prompt: string): ReadonlyArray<ReadonlyArray<{ tool: string; item: string }>> => {
  const [, order, plan] = /^Do (.+?): (.*)$/.exec(prompt) ?? []
  if (order === undefined || plan === undefined || plan === "") return []
  return plan
    .split(" / ")
    .map((turn, index) => turn.split(", ").map((tool, place) => ({ tool, item: `${order}/${index + 1}/${place + 1}` })))
}

const textOf = (message: Message.User): string =>
  message.content.map((part) => (part._tag === "Text" ? part.text : "")).join("")

/** The next turn of the last plan; what was said to it meanwhile is in its answer. */
const answerTo = (messages: ReadonlyArray<Message.Message>) => {
  const said = messages.flatMap((message, index) => (message._tag === "User" ? [{ index, text: textOf(message) }] : []))
  const plan = said.findLast(({ text }) => text.startsWith("Do "))
  const rest = messages.slice((plan?.index ?? 0) + 1)
  const steered = rest.flatMap((message) => (message._tag === "User" ? [textOf(message)] : []))
  const calls = planOf(plan?.text ?? "")[rest.filter(({ _tag }) => _tag === "Assistant").length]
  return calls === undefined
    ? ScriptedModel.text([`Done: ${plan?.text}`, ...steered].join(" + "))
    : ScriptedModel.turn(
        ScriptedModel.text("Let me see."),
        ...calls.map(({ item, tool }) => ScriptedModel.call(tool, { item }, { id: `call ${item}` }))
      )
}

export const model = (think: Effect.Effect<unknown> = Effect.void): Effect.Effect<Model.Model> =>
  FunctionModel.make((request) => Effect.as(think, answerTo(request.messages)))

/** A model whose program is wrong at one of its turns. */
export const failOnce = (turn: number): Effect.Effect<void> =>
  Effect.suspend(() => (--turn === 0 ? Effect.dieMessage("the program is wrong") : Effect.void))

export interface ShopOptions {
  /** What the model does before it answers. */
  readonly think?: Effect.Effect<unknown>
  /** Whether a person says yes at once. */
  readonly approves?: boolean
  readonly wrap?: (model: Model.Model) => Model.Model
  /** The next version of the program, without the tool `look`. */
  readonly isNext?: boolean
  /** What comes before each decision about a refund. */
  readonly decide?: Effect.Effect<void>
  /** What `refund` is for, as a deploy may change it. */
  readonly refunds?: string
  readonly signing?: { readonly secrets: readonly [Redacted.Redacted]; readonly timeToLive?: Duration.DurationInput }
}

export const makeAgent = (options: ShopOptions = {}) =>
  Effect.gen(function* () {
    const effects = yield* Effects
    const journal = yield* Journal.Journal
    const handle =
      (tool: string) =>
      ({ item }: { readonly item: string }) =>
        Effect.gen(function* () {
          const { idempotencyKey } = yield* CurrentCall.CurrentCall
          yield* effects.happen(tool, item, idempotencyKey)
          return `${tool} of ${item} is done`
        })
    const all = yield* Effect.provide(
      Toolset.fromToolkit(Shop),
      Shop.toLayer({
        look: handle("look"),
        pay: handle("pay"),
        refund: handle("refund"),
        reserve: handle("reserve")
      })
    )
    const made = yield* model(options.think)
    return yield* Agent.make({
      model: options.wrap?.(made) ?? made,
      toolset: all.pipe(
        Toolset.describe(options.refunds === undefined ? {} : { refund: options.refunds }),
        Toolset.filter((tool) => options.isNext !== true || tool.name !== "look")
      ),
      policy: {
        journal,
        approval: { refund: () => Effect.as(options.decide ?? Effect.void, Approval.ask("it moves money")) }
      },
      signing: options.signing,
      ...(options.approves === true ? { answer: () => Effect.succeed(Response.approve) } : {})
    })
  })
