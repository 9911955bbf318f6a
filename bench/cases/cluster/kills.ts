/** How many payments happen twice where the process is killed. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Measured } from "../../harness/table.js"
import { contenders } from "../../peers/durable/durable.js"
import { withDatabases } from "../../harness/postgres.js"
import { type Counts, countPayments } from "./payments.js"

const program = fileURLToPath(new URL("../../peers/durable/process.js", import.meta.url))
const orders = 20
const payments = 5
const kills = 3

/** Kills the process each time so many payments more have happened, and lets the last one end. */
const killAndCount = async (name: string, url: string): Promise<Counts> => {
  for (let kill = 0; kill <= kills; kill++) {
    const child = spawn(process.execPath, [program, name, url, String(orders), String(payments)], {
      stdio: ["ignore", "ignore", "pipe"]
    })
    let complaint = ""
    child.stderr.on("data", (text) => (complaint += String(text)))
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve))
    let isOver = false
    void ended.then(() => (isOver = true))
    const enough = ((kill + 1) * orders * payments) / (kills + 1)
    while (kill < kills && !isOver && (await countPayments(url)).paid < enough) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    if (kill < kills) child.kill("SIGKILL")
    const code = await ended
    if (kill === kills && code !== 0) throw new Error(`${name} ended with exit code ${code}: ${complaint.slice(-2000)}`)
  }
  return countPayments(url)
}

export const measureKills = (): Promise<Measured> =>
  withDatabases(async (makeDatabase) => {
    const figures: Array<Counts & { readonly name: string }> = []
    for (const name of Object.keys(contenders)) {
      figures.push({ name, ...(await killAndCount(name, await makeDatabase())) })
    }
    const { doubled, paid, uncertain } = figures.find(({ name }) => name === "Wield in a cluster")!
    const lost = Math.max(0, orders * payments - paid - uncertain)
    return {
      tables: [
        {
          _tag: "Figures",
          title: `${orders} orders at once of ${payments} payments each, the process killed ${kills} times`,
          columns: ["", "payments due", "different ones made", "made twice", "named uncertain"],
          rows: figures.map(({ doubled, name, paid, uncertain }) => [name, orders * payments, paid, doubled, uncertain])
        }
      ],
      notes: ["A payment that was not made, and is not named uncertain, is lost."],
      goals: [
        { name: "payments made twice", goal: "0", measured: String(doubled), isMet: doubled === 0 },
        { name: "payments lost", goal: "0", measured: String(lost), isMet: lost === 0 }
      ]
    }
  })
