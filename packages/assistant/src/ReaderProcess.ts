/**
 * The program of the processes in which HTML and PDFs are read. `WebPage` and
 * `Documents` start it; it does nothing where it is imported. A process can only
 * be started with a file, so it is a module of its own.
 */
import { Worker } from "node:worker_threads"
import { type Limits, type Name, perform, purpose, ready, type Task } from "./reader/work.js"

/**
 * Ends the process when it has grown too large: a limit on the heap of V8 leaves
 * out what PDFs are unpacked to. It ends the process as well when the program
 * that started it is gone. The thread that reads is busy and sees neither.
 */
const guard = `
const { workerData: { bytes, parent } } = require("node:worker_threads")
setInterval(() => {
  if (process.memoryUsage.rss() > bytes || process.ppid !== parent) process.kill(process.pid, "SIGKILL")
}, 20)
`

const answer = (message: unknown) => process.send?.(message)

if (process.send !== undefined && process.argv[2] === purpose) {
  const limits: Limits = { bytes: Number(process.argv[3]), parent: process.ppid }
  new Worker(guard, { eval: true, workerData: limits }).unref()
  // What it throws ends the process, and the page is not read.
  process.on("message", async (task: Task<Name>) => void answer(await perform(task)))
  answer(ready)
}
