/** The program of processes that read HTML and PDFs, which are started with a file; inert where imported. */
import { Worker } from "node:worker_threads"
import { loadHtml, type Name, perform, purpose, ready, type Task } from "./reader/work.js"

/**
 * A thread that ends the process when a task takes too much processor time, when
 * the process is too large (a limit on V8's heap leaves out what PDFs unpack to),
 * and when its parent is gone. The thread that reads is busy and sees none of it.
 */
const guard = `
const { parentPort, workerData: { bytes, parent, processorTime } } = require("node:worker_threads")
let begun
parentPort.on("message", (isBusy) => { begun = isBusy ? process.cpuUsage() : undefined })
const isOverTime = () => {
  if (begun === undefined) return false
  const { system, user } = process.cpuUsage(begun)
  return system + user > processorTime
}
setInterval(() => {
  if (isOverTime() || process.memoryUsage.rss() > bytes || process.ppid !== parent) process.kill(process.pid, "SIGKILL")
}, 20)
`

const answer = (message: unknown) => process.send?.(message)

if (process.send !== undefined && process.argv[2] === purpose) {
  // The process that starts this one gives it two numbers.
  const [bytes, processorTime] = process.argv.slice(3).map(Number) as [number, number]
  // Bytes, and microseconds of one task.
  const limits = { bytes, processorTime, parent: process.ppid }
  const watch = new Worker(guard, { eval: true, workerData: limits })
  watch.unref()
  process.on("message", async (task: Task<Name>) => {
    watch.postMessage(true)
    // What it throws ends the process, and the page is not read.
    const made = await perform(task)
    watch.postMessage(false)
    answer(made)
  })
  void loadHtml().then(() => answer(ready))
}
