/** Asks the user about a call that waits: y; n and why not; e and other arguments. */
import { DeferredCall } from "@wield/agent"
import { Effect, Option, Schema } from "effect"
import type { Terminal } from "./terminal.js"

const Edited = Schema.parseJson(Schema.Struct({}, { key: Schema.String, value: Schema.String }))

/** `undefined` where no person can answer. */
export const askAbout = (terminal: Terminal, request: DeferredCall.DeferredCall) =>
  Effect.gen(function* () {
    console.log(`  ${request.name} ${JSON.stringify(request.arguments)}: ${request.why}`)
    while (true) {
      const line = yield* terminal.ask("  Run it? [y | n reason | e {…}] ")
      if (line === undefined) return undefined
      if (line === "y") return DeferredCall.approve(request)
      if (/^n\b/.test(line)) return DeferredCall.deny(request, line.slice(1).trim() || "the user said no")
      const edited = Schema.decodeOption(Edited)(line.replace(/^e /, ""))
      if (Option.isSome(edited)) return DeferredCall.approveWith(request, edited.value)
    }
  })
