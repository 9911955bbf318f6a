/** The toolset as the conversation of a request has it. */
import type { ToolDefinition } from "@wield/core"
import * as CallContext from "@wield/core/CallContext"
import * as CurrentRun from "@wield/core/CurrentRun"
import * as NearestNames from "@wield/core/NearestNames"
import * as Toolset from "@wield/core/Toolset"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Options } from "../ToolsetManager.js"
import type { ActiveToolsetFailed } from "../ToolsetManagerError.js"
import { type Inside, type News, functionsOfSelection } from "./inside.js"
import { selectionOf } from "./look.js"

type IsOffered = (tool: Pick<ToolDefinition.ToolDefinition, "name">) => boolean

export const makeOfferedToolset = <Tools, R, E>(
  { conversationOf, toolset }: Options<Tools, R, E>,
  inside: Inside<E>
): Toolset.Toolset<Tools, R, E | ActiveToolsetFailed> => {
  const isDecidedByProgram = conversationOf !== undefined
  const ofRequest = conversationOf ?? ofContextOrRun
  const warn = makeWarning()
  const offering = makePredicates()
  const decide = (conversation: string | undefined): Effect.Effect<IsOffered, ActiveToolsetFailed> =>
    Effect.zipWith(selectionOf(inside, conversation), inside.sets, ({ selection }, sets) =>
      offering(functionsOfSelection(selection, sets))
    )
  const turns = new Turns<IsOffered>()
  const request = Effect.all({ context: CallContext.CallContext, run: CurrentRun.CurrentRun })

  const decided = Effect.flatMap(request, ({ context, run }) => {
    const conversation = ofRequest(context, run)
    const warning = isDecidedByProgram ? Effect.void : warn(context)
    if (run?.turn === undefined) return Effect.zipRight(warning, decide(conversation))
    const turn = JSON.stringify([conversation, run.id, run.turn])
    return Effect.zipRight(
      warning,
      Effect.suspend(() => {
        const before = turns.get(turn)
        // What a model was offered, it may call while its turn goes on.
        return before === undefined
          ? Effect.tap(decide(conversation), (isOffered) => Effect.sync(() => turns.set(turn, isOffered)))
          : Effect.succeed(before)
      })
    )
  })

  return Toolset.filterEffect(toolset, decided, {
    changes: (changes) =>
      Stream.unwrap(
        Effect.map(request, ({ context, run }) => {
          const conversation = ofRequest(context, run)
          // Without a conversation, a change concerns those where nothing was activated.
          const isConcerned = (news: News): Effect.Effect<boolean> =>
            conversation === undefined || news.conversation === conversation
              ? Effect.succeed(true)
              : news.conversation !== undefined
                ? Effect.succeed(false)
                : Effect.match(selectionOf(inside, conversation), {
                    onFailure: () => true,
                    onSuccess: ({ isInitial }) => isInitial
                  })
          const switched = Stream.fromPubSub(inside.news).pipe(
            Stream.filterEffect(isConcerned),
            Stream.map(({ change }) => change)
          )
          const own =
            conversation === undefined
              ? changes
              : Stream.mapEffect(changes, (change) =>
                  Effect.match(decide(conversation), {
                    onFailure: () => change,
                    onSuccess: (isOffered) => restrictTo(change, isOffered)
                  })
                )
          return Stream.merge(switched, Stream.filter(own, isChange))
        })
      )
  })
}

const ofContextOrRun = (context: CallContext.Values, run: CurrentRun.RunOfOffer | undefined): string | undefined => {
  const { conversation } = context
  return typeof conversation === "string" ? conversation : run?.id
}

/** Warns once of a call context with a misspelt `conversation`, which would get the initial set in silence. */
const makeWarning = (): ((context: CallContext.Values) => Effect.Effect<void>) => {
  let isToldOf = false
  return (context) => {
    if (isToldOf || typeof context["conversation"] === "string") return Effect.void
    const key = Object.keys(context).find(isMeantAsConversation)
    if (key === undefined) return Effect.void
    isToldOf = true
    const what =
      key === "conversation"
        ? `The conversation of a call context is no text, but ${typeof context[key]}`
        : `A call context has ${JSON.stringify(key)} and no "conversation"`
    return Effect.logWarning(
      `${what}: its conversation is taken to be that of the run, where the initial set is active if nothing was activated. Give a text as conversation, or tell the toolset manager by conversationOf which one it is`
    )
  }
}

const isMeantAsConversation = (key: string): boolean => {
  const letters = key.toLowerCase().replaceAll(/[^a-z]/g, "")
  return letters === "conversationid" || NearestNames.nearest(letters, ["conversation"], 2) !== undefined
}

/** The same functions give the same predicate, for what is made by it is kept by its identity. */
const makePredicates = (): ((functions: ReadonlyArray<string> | undefined) => IsOffered) => {
  const made = new WeakMap<ReadonlyArray<string>, IsOffered>()
  const everything: IsOffered = () => true
  return (functions) => {
    if (functions === undefined) return everything
    let predicate = made.get(functions)
    if (predicate === undefined) {
      const names = new Set(functions)
      made.set(functions, (predicate = ({ name }) => names.has(name)))
    }
    return predicate
  }
}

/** A tool that is gone may be gone from its module too, and so from the set: it is announced in any case. */
const restrictTo = ({ added, altered, removed }: Toolset.Change, isOffered: IsOffered): Toolset.Change => ({
  added: added.filter((name) => isOffered({ name })),
  altered: altered.filter((name) => isOffered({ name })),
  removed
})

const isChange = ({ added, altered, removed }: Toolset.Change): boolean =>
  added.length + altered.length + removed.length > 0

/** Turns that are remembered at most; the oldest is forgotten first. */
const capacity = 1000

export class Turns<Decision> {
  readonly #decisions = new Map<string, Decision>()

  get(turn: string): Decision | undefined {
    return this.#decisions.get(turn)
  }

  set(turn: string, decision: Decision): void {
    this.#decisions.set(turn, decision)
    const [oldest] = this.#decisions.keys()
    if (this.#decisions.size > capacity && oldest !== undefined) this.#decisions.delete(oldest)
  }
}
