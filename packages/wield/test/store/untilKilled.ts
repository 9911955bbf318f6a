/** `untilKilled.ts <kind of store> <folder>`: pays and talks without end, and says each time what is done. */
import { writeSync } from "node:fs"
import { join } from "node:path"
import { openDesk, stores } from "./desk.js"

const [kind = "", folder = ""] = process.argv.slice(2)
// Synchronous: what is done is said before anything else is.
const say = (line: string) => void writeSync(1, `${line}\n`)
const { store } = await stores[kind]!(folder)
const desk = await openDesk(store, join(folder, "paid"), { onPaying: async (order) => say(`paying ${order}`) })
for (let order = 0; ; order++) {
  await desk.pay(order)
  say(`paid ${order}`)
  await desk.ask(`Order ${order}?`)
  say(`answered ${order}`)
}
