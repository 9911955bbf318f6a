/** Tools of scripts in Python, Bash, TypeScript and JavaScript, and of function files. Needs `@wield/scripts`. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import type { Facts, Json } from "@wield/core"
import { isPlain } from "@wield/core/Json"
import { aFlag, orThrow, texts } from "@wield/core/Options"
import type { ExecutionOptions } from "@wield/scripts/ExecutionOptions"
import * as FunctionFolder from "@wield/scripts/FunctionFolder"
import * as ScriptExecutor from "@wield/scripts/ScriptExecutor"
import * as ScriptFolder from "@wield/scripts/ScriptFolder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { checkFacts, checkKind, checkNames } from "./internal/checkNames.js"
import { sourceOf, type ToolSource } from "./internal/source.js"

export type { ToolSource }

interface Common {
  /** How they are run: limits, interpreters, environment. */
  readonly execution?: ExecutionOptions
  /** Follows the folder: files that change are read again. */
  readonly isLive?: boolean
}

/** How scripts are read and run. */
export interface ScriptOptions extends Common {
  /** What tools do to the world, by their names. */
  readonly facts?: { readonly [tool: string]: Partial<Facts.Facts> }
}

/**
 * Each script of a folder as a tool. What runs ends with `close`.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { mkdtempSync, writeFileSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { wield } from "wield"
 * import { scripts } from "wield/scripts"
 *
 * const folder = mkdtempSync(join(tmpdir(), "wield-"))
 * writeFileSync(join(folder, "double.mjs"), `
 * /** Doubles a number.
 *  * @param {number} n The number *\/
 * export function run(n) { return 2 * n }
 * `)
 * await using tools = await wield({ toolsets: [scripts(folder)] })
 * assert.strictEqual(await tools.run().call("double", { n: 4 }), 8)
 * ```
 */
export const scripts = (folder: string, options: ScriptOptions = {}): ToolSource => {
  checkKind("What `scripts` takes", folder ?? null, "the path of a folder", typeof folder === "string")
  checkNames("`scripts`", options, ["execution", "facts", "isLive"])
  checkKind("`facts` of `scripts`", options.facts, "facts by the name of a tool", isPlain(options.facts))
  const { execution, facts, isLive = false } = options
  orThrow(aFlag(isLive), "`isLive` of `scripts`")
  for (const [name, one] of Object.entries(facts ?? {})) checkFacts(name, one)
  return sourceOf(
    isLive
      ? ScriptFolder.live(folder, { execution, facts })
      : Effect.flatMap(ScriptFolder.load(folder), (read) => ScriptFolder.toToolset(read, { execution, facts })),
    files
  )
}

/** The functions of the function files in these folders as tools. `config` is what `execute` gets. */
export const functionFiles = (
  folders: string | ReadonlyArray<string>,
  options: Common & { readonly config?: Json.JsonObject } = {}
): ToolSource => {
  checkNames("`functionFiles`", options, ["execution", "config", "isLive"])
  const { config, execution, isLive = false } = options
  orThrow(aFlag(isLive), "`isLive` of `functionFiles`")
  checkKind("`config` of `functionFiles`", config, "an object", isPlain(config))
  const areFolders = typeof folders === "string" || texts(folders) === undefined
  checkKind("What `functionFiles` takes", folders ?? null, "the path of a folder, or an array of them", areFolders)
  const all = typeof folders === "string" ? [folders] : folders
  const toolset = Effect.gen(function* () {
    const executor = yield* ScriptExecutor.make(execution)
    if (isLive) return yield* FunctionFolder.live(all, { executor, config })
    return yield* FunctionFolder.toToolset(yield* FunctionFolder.load(all, { executor, config }), { executor, config })
  })
  return sourceOf(toolset, files)
}

const files = Layer.merge(NodeFileSystem.layer, NodePath.layer)
