import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { serve, talk, temporaryFolder } from "./processes.js"

const call = (name: string, parameters: object) => ({
  tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name, arguments: JSON.stringify(parameters) } }]
})

describe("the assistant in the terminal", () => {
  it.scopedLive(
    "remembers in a later process what it was told in another conversation, and tells another user nothing of it",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        writeFileSync(join(folder, "notes.txt"), "Sencha\n")
        const { bodies, url } = yield* serve([
          call("create_memory", { name: "Ada's tea", text: "Ada drinks Sencha" }),
          { content: "Noted." },
          { content: "Sencha." },
          call("make_coding_edit", { working_dir: "project", file_name: "notes.txt", instruction: "Add: bought" }),
          // To the editor of the tool, which this is no answer for: it is told of the form once.
          { content: "no block" },
          { content: "no block" },
          { content: "I could not." }
        ])
        const options = ["--file", join(folder, "assistant.db"), "--folder", folder, "--user", "ada"]
        const at = (conversation: string, lines: ReadonlyArray<string>) =>
          talk("examples/assistant/main.ts", url, [...options, "--conversation", conversation], lines)

        const first = yield* at("monday", ["I drink Sencha."])
        expect(first.output).toContain("Noted.")
        expect(first.code).toBe(0)

        const second = yield* at("tuesday", ["Which tea do I drink?", "Note that it is bought."])
        expect(second.output).toContain("Sencha.")
        expect(second.output).toContain("I could not.")
        expect(second.code).toBe(0)
        const asked = JSON.stringify(bodies[2])
        expect(asked).toContain("Ada drinks Sencha")
        expect(asked).not.toContain("I drink Sencha.")
        expect(readFileSync(join(folder, "notes.txt"), "utf8")).toBe("Sencha\n")
        expect(bodies).toHaveLength(7)

        // Another user of the same file is shown nothing of it.
        const { bodies: others, url: other } = yield* serve([{ content: "I do not know." }])
        const third = yield* talk(
          "examples/assistant/main.ts",
          other,
          [...options.slice(0, 4), "--user", "bob", "--conversation", "wednesday"],
          ["Which tea do I drink?"]
        )
        expect(third.code).toBe(0)
        expect(JSON.stringify(others)).not.toContain("Sencha")
      })
  )
})
