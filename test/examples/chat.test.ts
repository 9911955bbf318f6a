import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { serve, talk, temporaryFolder } from "./processes.js"

/** The chat as a process of its own, with these lines piped into it. */
const chat = (url: string, options: ReadonlyArray<string>, lines: ReadonlyArray<string>) =>
  talk("examples/chat.ts", url, options, lines)

const writeNote = {
  tool_calls: [
    { index: 0, id: "call_1", type: "function", function: { name: "write_note", arguments: '{"text":"Call Ada"}' } }
  ]
}

describe("the chat", () => {
  it.scopedLive("asks before it writes, and in a later process asks again what was not answered", () =>
    Effect.gen(function* () {
      const { bodies, url } = yield* serve([writeNote, { content: "It is on your list." }, { content: "Bye." }])
      const file = join(yield* temporaryFolder, "chat.db")
      const options = ["--file", file, "--conversation", "notes of today"]

      const first = yield* chat(url, options, ["I have to call Ada."])
      expect(first.output).toContain('write_note {"text":"Call Ada"}: it writes to your notes')
      expect(first.code).toBe(0)
      expect(bodies).toHaveLength(1)

      const second = yield* chat(url, options, ["what?", "y", "Thank you."])
      expect(second.output).toContain('write_note {"text":"Call Ada"}: it writes to your notes')
      expect(second.output).toContain("It is on your list.")
      expect(second.output).toContain("Bye.")
      expect(second.code).toBe(0)
      expect(readFileSync(`${file}.notes.txt`, "utf8")).toBe("Call Ada\n")
      expect(JSON.stringify(bodies[2])).toContain("I have to call Ada.")

      // What is over is not asked again.
      const third = yield* chat(url, options, [])
      expect(third.output).not.toContain("it writes to your notes")
      expect(bodies).toHaveLength(3)
    })
  )

  it.scopedLive("says what went wrong with the model, and goes on", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "chat.db")
      // Nobody listens there.
      const { code, output } = yield* chat("http://127.0.0.1:9", ["--file", file], ["Hello"])
      expect(output).toContain("could not be reached")
      expect(output).not.toContain("sk-test")
      expect(output).toContain("--conversation")
      expect(code).toBe(0)
    })
  )
})
