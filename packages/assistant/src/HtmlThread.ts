/**
 * The program of the threads on which HTML is read. It is started by `WebPage`
 * and `Documents`, and does nothing where it is imported: a thread can only be started
 * with a file, so it has to be a module of its own.
 *
 * @since 0.1.0
 */
import { parentPort, workerData } from "node:worker_threads"
import { done, type Name, type Task } from "./web/htmlWork.js"
import { purpose, ready } from "./web/threadProtocol.js"

if (parentPort !== null && workerData === purpose) {
  const port = parentPort
  // What it throws ends the thread, and the page is not read.
  port.on("message", (task: Task<Name>) => port.postMessage(done(task)))
  port.postMessage(ready)
}
