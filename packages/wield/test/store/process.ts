/** A process of its own over a folder: `process.ts <folder> <run> <how long the payment takes>`. Prints what it did. */
import { appendFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { tool, wield } from "wield"
import { storeOf } from "wield/store"
import { folderRecords } from "./folder.js"

const [folder = "", run = "", pause = "0"] = process.argv.slice(2)
const pay = tool("pay", {
  execute: async () => {
    await appendFile(join(folder, "paid"), "paid\n")
    console.log("paying")
    await sleep(Number(pause))
    return "paid"
  }
})
await using shop = await wield({ tools: [pay], store: storeOf(await folderRecords(join(folder, "records"))) })
const calls = [{ id: "call_1", type: "function", function: { name: "pay", arguments: "{}" } }]
const response = { choices: [{ message: { role: "assistant", content: null, tool_calls: calls } }] }
const { outcomes } = await shop.run({ id: run }).answer("openai-chat", response)
console.log(outcomes.map(({ _tag }) => _tag).join())
