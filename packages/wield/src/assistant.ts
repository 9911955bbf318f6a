/** The tools of a personal assistant. Needs `@wield/assistant` and `libsql`. */
import * as FileStore from "@wield/agent/FileStore"
import * as Assistant from "@wield/assistant/Assistant"
import * as DocumentToolkit from "@wield/assistant/DocumentToolkit"
import * as GoalToolkit from "@wield/assistant/GoalToolkit"
import * as MemoryToolkit from "@wield/assistant/MemoryToolkit"
import * as UserToolkit from "@wield/assistant/UserToolkit"
import * as Toolset from "@wield/core/Toolset"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { checkNames } from "./internal/checkNames.js"
import { type AnyToolset, combineAll, sourceOf, type ToolSource } from "./internal/source.js"

export type { ToolSource }

// Each with its handlers.
const kits = {
  goals: Toolset.fromLayer(GoalToolkit.toolkit, GoalToolkit.layer),
  memories: Toolset.fromLayer(MemoryToolkit.toolkit, MemoryToolkit.layer),
  notes: Toolset.fromLayer(MemoryToolkit.noteToolkit, MemoryToolkit.noteLayer),
  documents: Toolset.fromLayer(DocumentToolkit.toolkit, DocumentToolkit.layer),
  names: Toolset.fromLayer(UserToolkit.toolkit, UserToolkit.layer)
}

/** What an assistant keeps: goals, memories by name or as `notes` by number, documents, the user's names. */
export type Kit = keyof typeof kits

type Kits = (typeof kits)[Kit]

/**
 * Tools that keep data of each user in a SQLite file. Runs need `context: { user_id, conversation_id }`.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { mkdtempSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { wield } from "wield"
 * import { assistant } from "wield/assistant"
 *
 * const path = join(mkdtempSync(join(tmpdir(), "wield-")), "assistant.db")
 * await using tools = await wield({ toolsets: [assistant({ path, kits: ["goals"] })] })
 * const run = tools.run({ context: { user_id: "ada", conversation_id: "c1" } })
 * await run.call("create_goal", { goal_name: "Learn Greek" })
 * assert.match(JSON.stringify(await run.call("print_goal", { goal_name: "Learn Greek" })), /Learn Greek/)
 * ```
 */
export const assistant = (options: { readonly path: string; readonly kits: ReadonlyArray<Kit> }): ToolSource => {
  checkNames("`assistant`", options, ["path", "kits"])
  const unknown = options.kits.find((kit) => !Object.hasOwn(kits, kit))
  if (unknown !== undefined) {
    throw new TypeError(
      `\`assistant\` has no kit ${JSON.stringify(unknown)}. There are: ${Object.keys(kits).join(", ")}`
    )
  }
  const toolset = Effect.gen(function* () {
    const none: AnyToolset = yield* Toolset.constant([])
    const all: ReadonlyArray<AnyToolset> = yield* Effect.all(options.kits.map((kit): Kits => kits[kit]))
    return combineAll([none, ...all])
  })
  return sourceOf(toolset, Layer.provideMerge(Assistant.layer(), FileStore.layerClient({ path: options.path })))
}
