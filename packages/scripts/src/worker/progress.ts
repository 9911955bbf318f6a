/** What a call has printed and not reported yet. */
import { StringDecoder } from "node:string_decoder"
import type { Redaction } from "../process/redaction.js"
import type { Process } from "@wield/process"

/** What a call printed, as progress of the call tells it. */
export interface Printed {
  readonly stream: "stdout" | "stderr"
  readonly text: string
}

/** Characters that wait to be reported before the script has to wait. */
const most = 262_144

export const makePending = (redaction: Redaction) => {
  const decoder = new StringDecoder("utf8")
  let text = ""
  return {
    push: (chunk: Buffer) => {
      text += decoder.write(chunk)
    },
    /** What can be reported now; at the end also what may have been the beginning of something. */
    take: (isEnd: boolean) => {
      if (isEnd) text += decoder.end()
      const whole = redaction.text(text)
      const length = isEnd ? whole.length : whole.length - redaction.beginning(whole)
      text = whole.slice(length)
      return whole.slice(0, length)
    },
    isFull: () => text.length > most
  }
}

export type Pending = ReturnType<typeof makePending>

export const streamLabel = (stream: Process.StreamName): Printed["stream"] =>
  stream === "standardOutput" ? "stdout" : "stderr"
