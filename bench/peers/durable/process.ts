/** `process.js <contender> <url> <orders> <payments>`: carries out the orders, or goes on with them, and ends. */
import { bank, contenders } from "./durable.js"

const [name = "", url = "", orders = "", payments = ""] = process.argv.slice(2)
const { close, pay } = await bank(url, 20)
const make = await contenders[name]?.()
if (make === undefined) throw new Error(`there is no contender ${name}`)
const durable = await make(url, pay)
await Promise.all(Array.from({ length: Number(orders) }, (_, index) => durable.run(`order ${index}`, Number(payments))))
await Promise.race([durable.close(), new Promise((resolve) => setTimeout(resolve, 2000))])
await close()
process.exit(0)
