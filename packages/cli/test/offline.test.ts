import { writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { project } from "./wield.js"

const tools = (city: object, more: ReadonlyArray<object> = []) =>
  JSON.stringify({
    tools: [
      {
        name: "get_weather",
        description: "Gets the weather of a city for some days",
        inputSchema: {
          type: "object",
          properties: { city, days: { type: "integer", description: "How many" } },
          required: ["city"]
        }
      },
      ...more
    ]
  })

const text = { type: "string", description: "Its name" }

describe("wield diff", () => {
  it.scopedLive("compares files, folders and the project, by exit code and version", () =>
    Effect.gen(function* () {
      const { folder, wield } = yield* project({
        "old.json": tools(text),
        "new.json": tools({ ...text, enum: ["Wien"] }),
        "wield.config.json": '{"tools":[{"scripts":"scripts"}]}',
        "scripts/double.ts":
          "/**\n * Doubles a number.\n * @param n The number\n */\nexport function run(n: number) { return n * 2 }\n",
        "later/double.ts":
          "/**\n * Doubles a number.\n * @param n The number\n * @param times How often\n */\nexport function run(n: number, times = 1) { return n * 2 * times }\n"
      })
      const breaking = yield* wield(["diff", "old.json", "new.json", "--from-version", "1.2.3"])
      assert.deepStrictEqual(breaking, {
        code: 1,
        output:
          'major narrowed     get_weather.input.city: It accepts fewer values: enum was not there, and is ["Wien"]\n',
        error: "1 change: major, 2.0.0\n"
      })
      const back = yield* wield(["diff", "new.json", "old.json", "--json"])
      assert.deepStrictEqual([back.code, JSON.parse(back.output).level], [0, "minor"])
      assert.strictEqual((yield* wield(["diff", "old.json", "old.json"])).error, "No changes\n")
      // What changes nothing destroys nothing, said or not.
      const hinted = (annotations: object) => JSON.stringify({ tools: [{ name: "now", annotations }] })
      writeFileSync(`${folder}/short.json`, hinted({ readOnlyHint: true }))
      writeFileSync(`${folder}/long.json`, hinted({ readOnlyHint: true, destructiveHint: false, idempotentHint: true }))
      assert.strictEqual((yield* wield(["diff", "short.json", "long.json"])).error, "No changes\n")
      const folders = yield* wield(["diff", "scripts", "later", "--json"])
      assert.deepStrictEqual([folders.code, JSON.parse(folders.output).level], [0, "minor"], folders.error)
      // What `list` printed once is a state, too.
      const listed = yield* wield(["list", "--json"])
      writeFileSync(`${folder}/locked.json`, listed.output)
      assert.strictEqual((yield* wield(["diff", "locked.json"])).error, "No changes\n")
      const broken = yield* wield(["diff", "locked.json", "missing"])
      assert.deepStrictEqual([broken.code, broken.output], [1, ""])
    })
  )
})

describe("wield replay", () => {
  it.scopedLive("says which recorded calls are still valid, repaired or refused, and prints no argument", () =>
    Effect.gen(function* () {
      const calls = [
        { name: "get_weather", arguments: { city: "Wien" } },
        {
          choices: [
            {
              message: { tool_calls: [{ id: "c1", function: { name: "get_weather", arguments: '{"city": "Graz",}' } }] }
            }
          ]
        },
        { content: [{ type: "tool_use", id: "c2", name: "get_weather", input: { town: "secret-town" } }] },
        { candidates: [{ content: { parts: [{ functionCall: { name: "get_wether", args: {} } }] } }] },
        {
          output: {
            message: {
              content: [{ toolUse: { toolUseId: "c3", name: "get_weather", input: { city: "Linz", unit: "C" } } }]
            }
          }
        }
      ]
      const { wield } = yield* project({
        "tools.json": tools(text),
        "calls.jsonl": calls.map((call) => JSON.stringify(call)).join("\n")
      })
      const { code, output } = yield* wield(["replay", "calls.jsonl", "tools.json", "--json"])
      assert.strictEqual(code, 1)
      const report = JSON.parse(output)
      assert.deepStrictEqual(report.counts, { valid: 2, repaired: 1, refused: 2 })
      assert.deepStrictEqual(
        report.calls.map(
          ({ reasons, verdict }: { readonly reasons: ReadonlyArray<string>; readonly verdict: string }) => [
            verdict,
            ...reasons
          ]
        ),
        [
          ["valid"],
          ["repaired"],
          ["refused", "city: expected a string, but it is missing"],
          ["refused", "There is no tool of this name; the nearest name is get_weather"],
          ["valid", "unit is ignored"]
        ]
      )
      const spoken = yield* wield(["replay", "calls.jsonl", "tools.json"])
      assert.notInclude(spoken.output + spoken.error, "secret-town")
      assert.include(spoken.error, "2 valid, 1 repaired, 2 refused")
    })
  )
})

describe("wield lint", () => {
  it.scopedLive("finds missing words, tools that are alike, losses and tokens, in any source", () =>
    Effect.gen(function* () {
      const { wield } = yield* project({
        "tools.json": tools({ type: "string", pattern: "^[A-Z]" }, [
          { name: "fetch_weather", description: "Get weather of cities for some days", inputSchema: {} },
          { name: "delete_user", description: "delete user", inputSchema: {} },
          { name: "nothing", inputSchema: {} }
        ])
      })
      const { code, output } = yield* wield(["lint", "tools.json", "--json"])
      assert.strictEqual(code, 0)
      const { problems, tokens } = JSON.parse(output)
      const found = problems.map(({ path, rule, tool }: { readonly [key: string]: string }) =>
        [rule, tool, path ?? ""].join(" ").trim()
      )
      assert.includeMembers(found, [
        "undocumented-parameter get_weather city",
        "ambiguous get_weather",
        "empty-description delete_user",
        "missing-description nothing"
      ])
      const sizes = Object.values<number>(tokens.tools)
      assert.strictEqual(
        tokens.total,
        sizes.reduce((sum, size) => sum + size)
      )
      // What an API adds once for all tools is no part of one.
      assert.isBelow(tokens.tools.nothing, 30)
      assert.strictEqual((yield* wield(["lint", "tools.json", "--max-warnings", "1"])).code, 1)
      assert.strictEqual((yield* wield(["lint", "tools.json", "--wire", "antropic"])).code, 2)
    })
  )
})
