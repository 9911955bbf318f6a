/**
 * The program of the threads on which web pages are read. It is started by
 * `WebPage`, and does nothing where it is imported: a thread can only be started
 * with a file, so it has to be a module of its own.
 *
 * @since 0.1.0
 */
import { parentPort, workerData } from "node:worker_threads"
import { type HtmlPage, readPage } from "./web/htmlPage.js"
import { purpose, ready } from "./web/threadProtocol.js"

if (parentPort !== null && workerData === purpose) {
  const port = parentPort
  // What it throws ends the thread, and the page is not read.
  port.on("message", (page: HtmlPage) => port.postMessage(readPage(page)))
  port.postMessage(ready)
}
