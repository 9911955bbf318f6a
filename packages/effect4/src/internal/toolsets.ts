/** What stands behind a toolset: that of Wield, and the rules of tools that say for themselves when they ask. */
import {
  CallContext as CallContext3,
  Context as Context3,
  CurrentCall as CurrentCall3,
  Toolset as Toolset3
} from "@wield/effect3"
import * as Context from "effect/Context"
import type { Rule } from "../Approval.js"
import { CallContext } from "../CallContext.js"
import { type Call, CurrentCall } from "../CurrentCall.js"
import type { Toolset } from "../Toolset.js"
import type { RulesByName } from "./policies.js"
import { into4 } from "./seam.js"

type Erased = Toolset3.Toolset<Toolset3.DynamicTools, never, unknown>

export interface Parts {
  readonly toolset: Erased
  readonly rules: RulesByName
}

const made = new WeakMap<object, Parts>()

/** The types are the caller's claim. */
export const makeToolset = <Tools, R>(toolset: Erased, rules: RulesByName): Toolset<Tools, R> => {
  // The mark exists in the type only.
  const self = {} as Toolset<Tools, R>
  made.set(self, { toolset, rules })
  return self
}

export const partsOf = (toolset: Toolset<unknown, unknown>): Parts => {
  const parts = made.get(toolset)
  if (parts === undefined)
    throw new TypeError(
      "It is no toolset of @wield/effect4/Toolset: `yield* Toolset.fromToolkit(toolkit)` makes one of a toolkit"
    )
  return parts
}

export const combineParts = <Tools, R>(left: Parts, right: Parts): Toolset<Tools, R> =>
  makeToolset(Toolset3.combine(left.toolset, right.toolset), new Map([...left.rules, ...right.rules]))

export const renameParts = <Tools, R>(
  toolset: Toolset3.Any,
  rules: RulesByName,
  nameOf: (name: string) => string | undefined
): Toolset<Tools, R> => {
  const renamed = new Map<string, Rule>()
  for (const [name, rule] of rules) {
    const next = nameOf(name)
    if (next !== undefined) renamed.set(next, rule)
  }
  // Of erased tools.
  return makeToolset(toolset as Erased, renamed)
}

/** A class, so that what is worked out is worked out when it is read. */
class CallOf4 implements Call {
  readonly id: string
  readonly name: string
  readonly attempt: number
  readonly #call: CurrentCall3.Call

  constructor(call: CurrentCall3.Call) {
    this.id = call.id
    this.name = call.name
    this.attempt = call.attempt
    this.#call = call
  }

  get idempotencyKey(): string {
    return this.#call.idempotencyKey
  }

  get subject(): string | undefined {
    return this.#call.subject
  }

  get input(): Call["input"] {
    return this.#call.input
  }

  get run(): Call["run"] {
    return this.#call.run
  }

  readonly progress: Call["progress"] = (value) => into4(this.#call.progress(value))
}

/** What a handler sees of its call, in references of Effect 4. */
export const addCall = (services: Context.Context<never>, context: Context3.Context<never>): Context.Context<never> => {
  const values = Context3.get(context, CallContext3.CallContext)
  const called = Context.add(services, CurrentCall, new CallOf4(Context3.get(context, CurrentCall3.CurrentCall)))
  return values === Context.get(services, CallContext) ? called : Context.add(called, CallContext, values)
}
