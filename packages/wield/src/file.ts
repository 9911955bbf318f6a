/** Conversations and the record of calls in one SQLite file. */
import * as FileStore from "@wield/agent/FileStore"
import type { Store } from "./wield.js"

/**
 * A store for `wield({ store })`. A missing file is made, a missing folder is not. Several processes of
 * one machine may have it open.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { mkdtempSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { tool, wield } from "wield"
 * import { fileStore } from "wield/file"
 *
 * const path = join(mkdtempSync(join(tmpdir(), "wield-")), "shop.db")
 * let paid = 0
 * const pay = tool("pay", { execute: () => `payment ${++paid}` })
 * const calls = [{ id: "call_1", type: "function", function: { name: "pay", arguments: "{}" } }]
 * const response = { choices: [{ message: { role: "assistant", content: null, tool_calls: calls } }] }
 *
 * // As if the process had ended in between: the second one finds what the first has done.
 * for (let process = 1; process <= 2; process++) {
 *   await using shop = await wield({ tools: [pay], store: fileStore({ path }) })
 *   await shop.run({ id: "order 12" }).answer("openai-chat", response)
 * }
 * assert.strictEqual(paid, 1)
 * ```
 */
export const fileStore = (options: FileStore.Options): Store => FileStore.layer(options)
