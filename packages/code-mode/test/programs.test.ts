import { expect, layer } from "@effect/vitest"
import { CodeMode, ProgramThreads } from "@wield/code-mode"
import type { ProgramFailure } from "@wield/code-mode/CodeModeError"
import {
  Approval,
  CallContext,
  Content,
  CurrentCall,
  Journal,
  Outcome,
  ToolCall,
  ToolRunner,
  Toolset
} from "@wield/core"
import { Effect, Option, Ref, TestServices } from "effect"

const numbered = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const

const double: Toolset.DynamicTool = {
  name: "double",
  description: "Doubles a number. It is exact.",
  inputSchema: numbered,
  outputSchema: { type: "number" },
  execute: ({ n }) => Effect.succeed(2 * Number(n))
}

const all: ReadonlyArray<Toolset.DynamicTool> = [
  double,
  { name: "fails", execute: () => Effect.fail({ code: 7 }) },
  { name: "dies", execute: () => Effect.die(new Error("the password is 1234")) }
]

const programs = (tools: ReadonlyArray<Toolset.DynamicTool>, options: CodeMode.Options = {}) =>
  Effect.flatMap(Toolset.dynamic(tools), (toolset) => CodeMode.make(toolset, options))

const outcomeOf = (code: string, tools = all, options: CodeMode.Options = {}) =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* programs(tools, options))
    return yield* runner.run(ToolCall.make("call_1", "run_program", { code }))
  })

const resultOf = (code: string, tools = all, options: CodeMode.Options = {}) =>
  Effect.map(outcomeOf(code, tools, options), (outcome) =>
    outcome._tag === "Success" ? outcome.result : Outcome.text(outcome)
  )

const failureOf = (code: string, tools = all) =>
  Effect.map(outcomeOf(code, tools), (outcome) => {
    if (outcome._tag !== "Failure") throw new Error(`The program ended as ${outcome._tag}`)
    return outcome.encoded as ProgramFailure // as a program fails
  })

layer(ProgramThreads.layer)("a program", (it) => {
  it.scoped("calls tools and gives what it returns", () =>
    Effect.gen(function* () {
      expect(yield* resultOf("return await Promise.all([1, 2].map((n) => tools.double({ n })))")).toEqual([2, 4])
      expect(yield* resultOf("const list = []\nlist.push(await tools.double({ n: 1 }))\nreturn list")).toEqual([2])
      expect(yield* resultOf("await tools.double({ n: 1 })")).toBe(null)
    })
  )

  it.scoped("catches how its calls ended", () =>
    Effect.gen(function* () {
      expect(
        yield* resultOf("return await tools.fails().catch((e: ToolError) => [e.outcome, e.tool, e.data])")
      ).toEqual(["Failure", "fails", { code: 7 }])
      expect(yield* resultOf("try { await (tools as any).dobule() } catch (e) { return e.message }")).toMatch(
        /no tool named "dobule".*double/
      )
      expect(yield* resultOf('try { await tools.double({ n: "1" as any }) } catch (e) { return e.message }')).toMatch(
        /n: expected a number/
      )
      expect(
        yield* resultOf("try { await tools.dies() } catch (e) { return e.outcome + e.message + e.stack }")
      ).toMatch(/^Defect(?!.*1234)/s)
    })
  )

  it.scoped("is not run where its types are wrong, and says at which lines", () =>
    Effect.gen(function* () {
      const calls: Array<unknown> = []
      const watched = [{ ...double, execute: (given: unknown) => Effect.sync(() => calls.push(given)) }]
      expect(yield* failureOf("await tools.double({ n: 1 })\n\nreturn await tools.double({ m: 2 })", watched)).toEqual({
        error: "The program has mistakes. Nothing was run",
        problems: [{ line: 3, column: 29, message: expect.stringContaining("'m' does not exist in type") }]
      })
      expect((yield* failureOf("const x: string = await tools.double({ n: 1 })", watched)).problems).toMatchObject([
        { line: 1, message: "Type 'number' is not assignable to type 'string'." }
      ])
      expect((yield* failureOf("console.log(1)")).problems).toMatchObject([{ message: "Cannot find name 'console'." }])
      expect((yield* failureOf("return (")).problems).toMatchObject([{ line: 2 }])
      expect((yield* failureOf('import fs from "fs"')).problems).toMatchObject([{ line: 1 }])
      expect(calls).toEqual([])
    })
  )

  it.scoped("says at which line it threw, and what it did not catch", () =>
    Effect.gen(function* () {
      expect(yield* failureOf("interface A { x: 1 }\n\nenum B { C }\nthrow new Error('no ' + B.C)")).toEqual({
        error: "no 0",
        line: 4
      })
      expect(yield* failureOf("await tools.double({ n: 1 })\nawait tools.fails()")).toMatchObject({
        outcome: "Failure"
      })
    })
  )

  it.scoped("has the parts of a tool that gives texts and images, and may return them", () =>
    Effect.gen(function* () {
      const parts = [Content.text("Paid."), Content.image("image/png", "AQID")]
      const paid = { name: "paid", execute: () => Effect.succeed(new Content.Answer({ parts })) }
      expect(yield* resultOf("const parts = await tools.paid(); return [parts.length, parts[0].text]", [paid])).toEqual(
        [2, "Paid."]
      )
      expect(yield* resultOf("return await tools.paid()", [paid])).toMatchObject([
        { _tag: "Text", text: "Paid." },
        { _tag: "Image", mediaType: "image/png" }
      ])
    })
  )

  it.scoped("reads of mistakes at lines that it has, without advice on settings", () =>
    Effect.gen(function* () {
      for (const code of ["await using x = { async [Symbol.asyncDispose]() {} }", "return { then(r: any) { r(7) } }"])
        for (const { line } of (yield* failureOf(code)).problems ?? []) expect(line).toBe(1)
      expect((yield* failureOf("return await import('fs')")).problems).toMatchObject([
        { message: "Cannot find module 'fs'." }
      ])
      expect((yield* failureOf("return require('fs')")).problems).toMatchObject([
        { message: "Cannot find name 'require'." }
      ])
    })
  )

  it.scoped("makes calls that are called like any other: hidden fields, policy, their own keys", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const secret: Toolset.DynamicTool = {
        name: "secret",
        inputSchema: {
          type: "object",
          properties: { n: { type: "number" }, user: { type: "string" } },
          required: ["n", "user"]
        },
        hidden: ["user"],
        execute: (given) =>
          Effect.flatMap(CurrentCall.CurrentCall, (call) => Effect.sync(() => seen.push([given, call.id, call.run.id])))
      }
      const toolset = yield* programs([secret], {
        policy: { approval: () => Approval.allow, limits: { default: { concurrency: 1 } } }
      })
      const run = (yield* ToolRunner.make(toolset)).forRun({ id: "run", context: { user: "ada" } })
      const [definition] = yield* run.definitions
      expect(definition?.description).toContain("secret(args: { n: number }): Promise<any>")
      yield* run.run(ToolCall.make("call_1", "run_program", { code: "await tools.secret({ n: 1 })" }))
      expect(seen).toEqual([[{ n: 1, user: "ada" }, "0", "run"]])
      const refused = yield* run.run(
        ToolCall.make("call_2", "run_program", { code: "await tools.secret({ n: 1, user: 'eve' })" })
      )
      expect(Outcome.text(refused)).toContain("'user' does not exist in type")
    })
  )

  it.scoped("calls nothing with the hidden values of the request that made its tool", () =>
    Effect.gen(function* () {
      const whose: Toolset.DynamicTool = {
        name: "whose",
        inputSchema: { type: "object", properties: { user: { type: "string" } }, required: ["user"] },
        hidden: ["user"],
        execute: ({ user }) => Effect.succeed(user)
      }
      const runner = yield* ToolRunner.make(yield* CallContext.provide(programs([whose]), { user: "ada" }))
      const code = "return await tools.whose().catch((error: ToolError) => error.outcome)"
      const ask = runner.run(ToolCall.make("call_1", "run_program", { code }))
      expect(yield* ask).toMatchObject({ encoded: "MissingContext" })
      expect(yield* CallContext.provide(ask, { user: "bob" })).toMatchObject({ encoded: "bob" })
    })
  )

  it.scoped("is ended where it is interrupted while it computes, and the next one runs", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* programs(all, { limits: { time: "1 hour" } }))
      const run = (code: string) => runner.run(ToolCall.make("call_1", "run_program", { code }))
      yield* run("return 1")
      const endless = Effect.timeoutOption(run("while (true) {}"), "1 second")
      expect(yield* TestServices.provideLive(endless)).toEqual(Option.none())
      expect(yield* run("return 2")).toMatchObject({ _tag: "Success", encoded: 2 })
    })
  )

  it.scoped("has no more calls at work than its limit, and others wait", () =>
    Effect.gen(function* () {
      const atWork = yield* Ref.make(0)
      const most = yield* Ref.make(0)
      const busy: Toolset.DynamicTool = {
        name: "busy",
        execute: () =>
          Effect.gen(function* () {
            const now = yield* Ref.updateAndGet(atWork, (count) => count + 1)
            yield* Ref.update(most, (count) => Math.max(count, now))
            yield* Effect.yieldNow()
            yield* Ref.update(atWork, (count) => count - 1)
            return null
          })
      }
      const code = "return (await Promise.all(Array.from({ length: 60 }, () => tools.busy()))).length"
      expect(yield* resultOf(code, [busy], { limits: { concurrency: 3 } })).toBe(60)
      expect(yield* Ref.get(most)).toBe(3)
    })
  )

  it.scoped("sees the same clock, random numbers and winners of races where it is gone on with", () =>
    Effect.gen(function* () {
      const journal = yield* Journal.memory
      const slow: Toolset.DynamicTool = { name: "slow", execute: () => Effect.as(Effect.yieldNow(), "slow") }
      const code = `const won = await Promise.race([tools.slow(), tools.double({ n: 1 })])
        await Promise.all([tools.slow(), tools.double({ n: 2 })])
        return [won, Date.now(), Math.random(), Math.random(), new Date(0).getTimezoneOffset()]`
      // Each knows nothing but the journal.
      const once = Effect.gen(function* () {
        const runner = yield* ToolRunner.make(yield* programs([slow, double], { policy: { journal } }))
        return yield* runner.forRun({ id: "run" }).run(ToolCall.make("call_1", "run_program", { code }))
      })
      const first = yield* once
      expect(first).toMatchObject({ encoded: [2, 0, expect.any(Number), expect.any(Number), 0] })
      expect(yield* once).toEqual(first)
    })
  )
})

layer(ProgramThreads.layer)("what the model is shown of code mode", (it) => {
  const shownOf = (shown: CodeMode.Shown) =>
    Effect.gen(function* () {
      const offer = yield* (yield* programs(all, { shown, instructions: "Prices are in euros." })).offer
      return [...offer.entries.values()].map(({ definition }) => definition)
    })

  it.scoped("is as much as the option says", () =>
    Effect.gen(function* () {
      const [full] = yield* shownOf("full")
      expect(full?.description).toContain(
        "/** Doubles a number. It is exact. */\n  double(args: { n: number }): Promise<number>"
      )
      expect(full?.description).toMatch(/Prices are in euros\.$/)
      const [brief] = yield* shownOf("brief")
      expect(brief?.description).toContain("/** Doubles a number. */")
      const [none, find] = yield* shownOf("search")
      expect(none?.description).not.toContain("double")
      expect(find?.name).toBe("find_tools")
    })
  )

  it.scoped("is found by a second tool, with its types", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* programs(all, { shown: "search" }))
      const find = (query: string) => Effect.map(runner.run(ToolCall.make("f", "find_tools", { query })), Outcome.text)
      expect(yield* find("double a number")).toContain("double(args: { n: number }): Promise<number>")
      expect(yield* find("weather")).toContain("No tool fits")
    })
  )
})

layer(ProgramThreads.layer)("code mode", (it) => {
  const refusal = (options: unknown) =>
    // As a program without types may give them.
    Effect.map(Effect.flip(programs(all, options as CodeMode.Options)), ({ message }) => message)

  it.scoped("refuses options that would mean nothing", () =>
    Effect.gen(function* () {
      expect(yield* refusal({ limit: {} })).toContain("limit of code mode must be named as an option is")
      expect(yield* refusal({ limit: {} })).toContain("limits")
      expect(yield* refusal({ limits: { timeout: 5 } })).toContain(
        "limits.timeout of code mode must be named as an option is"
      )
      expect(yield* refusal({ limits: { time: "soon" } })).toContain("limits.time of code mode must be a duration")
      // A timer takes it for a millisecond.
      expect(yield* refusal({ limits: { time: 2 ** 31 - 0.5 } })).toContain("limits.time of code mode")
      expect(yield* refusal({ limits: { calls: 0 } })).toContain("limits.calls of code mode must be a whole number")
      expect(yield* refusal({ limits: { memory: "64 MB" } })).toContain("limits.memory")
      expect(yield* refusal({ limits: [] })).toContain("limits of code mode must be an object")
      expect(yield* refusal({ shown: "names" })).toContain('must be "full" or "brief" or "search"')
      expect(yield* refusal({ name: "" })).toContain("name of code mode must be a name")
      expect(yield* refusal({ policy: { approval: "ask" } })).toContain("approval of the policy must be")
      for (const policy of [null, [], "ask"])
        expect(yield* refusal({ policy })).toContain("policy of code mode must be an object")
    })
  )

  it.scoped("refuses what is no toolset", () =>
    Effect.gen(function* () {
      for (const given of [undefined, null, {}, [double], Toolset.dynamic([double])]) {
        // As a program without types may give it.
        const made = CodeMode.make(given as Toolset.Toolset<unknown>)
        expect((yield* Effect.flip(made)).message).toContain("the toolset of code mode must be a toolset")
      }
    })
  )
})
