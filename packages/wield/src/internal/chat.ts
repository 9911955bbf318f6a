/** Chat pages of an agent. */
import * as Chat from "@wield/chat/Chat"
import * as Pages from "@wield/chat/Pages"
import type { Policy, Toolset } from "@wield/core"
import * as Effect from "effect/Effect"
import type { AgentOptions, Visitor } from "../agent.js"
import { agentOf } from "./loop.js"
import type { Running } from "./Running.js"
import { type AnyToolset, combineAll } from "./source.js"

export type Answer = (request: Request, visitor: Visitor<unknown>) => Promise<Response>

/** Lives until the tools are closed, which ends what still runs. */
export const makeChat = (
  running: Running,
  toolset: AnyToolset,
  policy: Policy.Policy,
  options: AgentOptions<never>
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { version, ...chatOptions } = options.chat ?? {}
    const visitors = new WeakMap<Request, Visitor<unknown>>()
    const living = Effect.gen(function* () {
      const chat = yield* Chat.make({
        ...chatOptions,
        agent: ({ tools }) => {
          // What types say of names is not used.
          const all = combineAll([toolset, tools]) as Toolset.Toolset<Toolset.DynamicTools, never, unknown>
          return agentOf(all, policy, options)
        },
        authorize: (request) =>
          Effect.sync(() => {
            const { user, context } = visitors.get(request) ?? {}
            return user === undefined ? undefined : { user, ...(context === undefined ? {} : { context }) }
          })
      })
      const handle = Pages.handler(chat, { version })
      resolve((request, visitor) => {
        visitors.set(request, visitor)
        return handle(request)
      })
      return yield* Effect.never
    })
    running.run(Effect.scoped(living)).catch(reject)
  })
