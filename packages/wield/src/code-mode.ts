/** Code mode: one tool that runs a program which calls your tools. Needs `@wield/code-mode`. */
import * as CodeMode from "@wield/code-mode/CodeMode"
import type { Policy, Toolset } from "@wield/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import { checkNames } from "./internal/checkNames.js"
import { Closed, type Services } from "./internal/Running.js"
import { sourceOf, type ToolSource } from "./internal/source.js"

export type { ToolSource }

/** What `wield` gives. */
interface Shop {
  readonly toolset: Toolset.Toolset<Toolset.DynamicTools, never, unknown>
  readonly policy: Policy.Policy
  readonly runtime: ManagedRuntime.ManagedRuntime<Services, unknown>
}

/** How programs are run, and what the model is shown of the tools. */
export type CodeModeOptions = Omit<CodeMode.Options, "policy">

/**
 * The tool `run_program`, whose programs call the tools of `shop` under all that was decided for these: approval,
 * limits, guards, the record of calls. Give both the same `store`, and a program that waits goes on in another process.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { tool, wield } from "wield"
 * import { codeMode } from "wield/code-mode"
 *
 * const stock = tool("stock", { parameters: { type: "object", properties: { item: { type: "string" } } }, execute: () => 4 })
 * await using shop = await wield({ tools: [stock] })
 * await using programs = await wield({ toolsets: [codeMode(shop)] })
 *
 * const code = 'const all = await Promise.all(["a", "b"].map((item) => tools.stock({ item }))); return all[0] + all[1]'
 * assert.strictEqual(await programs.run().call("run_program", { code }), 8)
 * ```
 */
export const codeMode = (shop: Shop, options: CodeModeOptions = {}): ToolSource => {
  // A program without types may give a promise, or tools.
  const given: Partial<Shop> | undefined = shop
  if (!Effect.isEffect(given?.toolset?.offer) || given.policy === undefined || given.runtime === undefined) {
    throw new TypeError("`codeMode` takes what `wield({ … })` gives: await it first")
  }
  checkNames("`codeMode`", options, ["limits", "shown", "name", "instructions"])
  // Its tools end with it, also for programs of others.
  const isOpen = Effect.catchAllCause(
    Effect.suspend(() => shop.runtime.runtimeEffect),
    () => Effect.die(new Closed())
  )
  const toolset = { ...shop.toolset, offer: Effect.zipRight(isOpen, shop.toolset.offer) }
  return sourceOf(CodeMode.make(toolset, { ...options, policy: shop.policy }), Layer.empty)
}
