/** What `once.test.ts` states of scripts that share a program, of each in programs of its own. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { serve } from "./driver.js"
import { builtScripts, once, starts, unseen, withMain } from "./starts.js"

for (const mode of ["fork", "once"] as const) {
  it.scoped.each(starts)(`the function runs once, started by %s (${mode})`, ([, lines]) =>
    Effect.gen(function* () {
      const { call, folder } = yield* serve({ scripts: { "tool.sh": withMain(lines) }, mode })
      writeFileSync(join(folder, "start.sh"), "main\n")
      for (let times = 0; times < (mode === "fork" ? 2 : 1); times++) {
        expect(yield* call({ city: "Rome" })).toMatchObject(once)
      }
    })
  )

  it.scoped(`a script that argc has built runs as the one that it was built from (${mode})`, () =>
    Effect.gen(function* () {
      for (const { line, text } of builtScripts) {
        const { call, folder } = yield* serve({ scripts: { "tool.sh": text }, mode })
        const { reply, standardError, standardOutput } = yield* call({ city: "a=b" })
        expect({ reply, standardError }).toEqual({ reply: once.reply, standardError: "" })
        expect(standardOutput).toBe(`a=b ${join(folder, "tool.sh")} ${line}\n`)
      }
    })
  )
}

it.scoped.each(unseen)("a function that may have been started by %s is not started again", ([, lines]) =>
  Effect.gen(function* () {
    const { call } = yield* serve({ scripts: { "tool.sh": withMain(lines) } })
    expect(yield* call({ city: "Rome" })).toMatchObject({
      reply: { type: "exited", code: 1 },
      standardOutput: "called for \n"
    })
  })
)
