import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bundleOf } from "../../../test/programs.js"
import { project } from "./wield.js"

describe("wield new", () => {
  it.scopedLive("makes projects and tools in each language, which are listed and called at once", () =>
    Effect.gen(function* () {
      const { folder, wield } = yield* project({ "wield.config.json": '{"tools":[{"scripts":"tools"}]}' })
      for (const language of ["typescript", "python", "bash"]) {
        const name = `greet_${language}`
        const made = yield* wield(["new", "tool", name, "--language", language])
        assert.deepStrictEqual([made.code, made.error], [0, ""])
        if (language !== "typescript") {
          assert.strictEqual((yield* wield(["new", "project", `in-${language}`, "--language", language])).code, 0)
          const listed = yield* wield(["list", "--names"], { folder: join(folder, `in-${language}`) })
          assert.deepStrictEqual([listed.code, listed.output], [0, "greet\n"], listed.error)
        }
      }
      const listed = yield* wield(["list", "--json"])
      assert.deepStrictEqual([listed.code, JSON.parse(listed.output).problems], [0, []])
      for (const language of ["typescript", "python", "bash"]) {
        const { error, output } = yield* wield(["call", `greet_${language}`, "name=Ada", "--trust"])
        assert.strictEqual(output, "Hello, Ada!\n", error)
      }
      const again = yield* wield(["new", "tool", "greet_bash", "--language", "bash"])
      assert.strictEqual(again.code, 1)
      assert.match(again.error, /greet_bash\.sh exists already\. Remove it\n$/)
      assert.strictEqual((yield* wield(["new", "tool", "Greet Me"])).code, 2)
    })
  )
})

describe("wield generate and wield import", () => {
  it.scopedLive("write files that are read again as the same tools, and replace none unasked", () =>
    Effect.gen(function* () {
      const operation = {
        operationId: "get_order",
        summary: "An order",
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "string" } },
          { name: "tags", in: "query", schema: { type: "array", items: { type: "string" } } }
        ],
        responses: { "200": { description: "OK" } }
      }
      const create = {
        operationId: "create_order",
        summary: "Creates an order",
        requestBody: {
          content: { "application/json": { schema: { type: "object", properties: { sku: { type: "string" } } } } }
        },
        responses: { "200": { description: "OK" } }
      }
      const { folder, wield } = yield* project({
        "api.json": JSON.stringify({
          openapi: "3.1.0",
          info: { title: "Shop", version: "1" },
          servers: [{ url: "https://shop.example" }],
          paths: { "/orders/{id}": { get: operation }, "/orders": { post: create } }
        }),
        "schema.graphql": "type Query { order(id: ID!): Order } type Order { id: ID! }"
      })
      const imported = yield* wield(["import", "openapi", "api.json", "--out", "shop.json"])
      assert.deepStrictEqual([imported.code, imported.error], [0, "2 tools\n"])
      const same = yield* wield(["diff", "api.json", "shop.json"])
      assert.deepStrictEqual([same.code, same.output, same.error], [0, "", "No changes\n"])
      assert.strictEqual((yield* wield(["import", "openapi", "api.json", "--out", "shop.json"])).code, 1)
      const graph = yield* wield([
        "import",
        "graphql",
        "schema.graphql",
        "--url",
        "https://shop.example",
        "--out",
        "graph.json",
        "--json"
      ])
      assert.deepStrictEqual(JSON.parse(graph.output).tools, ["order"], graph.error)
      for (const url of ["HTTPS://shop.example", "${SHOP_URL}/graphql", "https://${SHOP_HOST}"]) {
        const { code, error } = yield* wield(["import", "graphql", "schema.graphql", "--url", url])
        assert.deepStrictEqual([url, code], [url, 0], error)
      }
      assert.strictEqual((yield* wield(["lint", "graph.json"])).code, 0)

      const types = yield* wield(["generate", "types", "shop.json", "--out", "tools.ts"])
      assert.strictEqual(types.code, 0, types.error)
      assert.include(readFileSync(join(folder, "tools.ts"), "utf8"), "get_order")
      const check = ["generate", "types", "shop.json", "--out", "tools.ts", "--check"]
      assert.strictEqual((yield* wield(check)).code, 0)
      writeFileSync(join(folder, "tools.ts"), "other")
      assert.strictEqual((yield* wield(check)).code, 1)
      const docs = yield* wield(["generate", "docs", "shop.json"])
      assert.include(docs.output, "## get_order\n\nAn order")
      const selected = yield* wield(["generate", "docs", "shop.json", "--select", "get_*"])
      assert.deepStrictEqual(selected.output.match(/^## .*$/gm), ["## get_order"])
      const unknown = yield* wield(["generate", "docs", "shop.json", "--select", "gets_*"])
      assert.match(unknown.error, /no tool named "gets_\*"/)
      const body = yield* wield(["generate", "declarations", "shop.json", "--wire", "anthropic"])
      assert.strictEqual(JSON.parse(body.output).tools.length, 2)
      const nope = yield* wield(["generate", "declarations", "shop.json", "--wire", "nope"])
      assert.deepStrictEqual([nope.code, /no wire format "nope"\. There are: .*anthropic/.test(nope.error)], [2, true])
    })
  )
})

/** Of the process itself, which asks nothing else of it meanwhile. */
const pretendPlatform = (platform: NodeJS.Platform) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const own = process.platform
      Object.defineProperty(process, "platform", { value: platform })
      return own
    }),
    (own) => Effect.sync(() => Object.defineProperty(process, "platform", { value: own }))
  )

describe("wield doctor", () => {
  it.scopedLive("looks on Windows into the folders of its path, with its endings", () =>
    Effect.gen(function* () {
      const { environment, folder, wield } = yield* project({ "wield.config.json": '{"tools":[]}' })
      // Here a file of that name lies in the working folder.
      yield* Effect.sync(() => writeFileSync(join(folder, "C:\\Python\\python.EXE"), "", { mode: 0o755 }))
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          const own = process.cwd()
          process.chdir(folder)
          return own
        }),
        (own) => Effect.sync(() => process.chdir(own))
      )
      yield* pretendPlatform("win32")
      const { PATH: _, ...others } = environment
      const windows = { ...others, Path: "D:\\Tools;C:\\Python", PATHEXT: ".COM;.EXE" }
      const { output } = yield* wield(["doctor", "--json"], { environment: windows })
      assert.include(output, JSON.stringify("unknown version (C:\\Python\\python.EXE): 3.8 or newer is needed"))
    })
  )

  it.scopedLive("tells what is broken apart", () =>
    Effect.gen(function* () {
      const { environment, wield } = yield* project({
        "wield.config.json":
          '{"tools":[{"manifest":"missing.json"},{"scripts":"scripts"}],"store":"no/folder/wield.db"}',
        "scripts/broken.py": "def run(:\n"
      })
      const { code, output } = yield* wield(["doctor", "--json"], { environment: { ...environment, PATH: "relative" } })
      assert.strictEqual(code, 1)
      const found = JSON.parse(output).checks.map(
        ({ name, status }: { readonly [key: string]: string }) => `${name} ${status}`
      )
      assert.includeMembers(found, [
        "node ok",
        "python warning",
        "bash warning",
        "keys warning",
        "configuration ok",
        "trust warning",
        "manifest missing.json error",
        "scripts scripts error",
        "tools warning",
        "store error"
      ])
    })
  )
})

const isHere = (shell: string) => spawnSync(shell, ["--version"]).status === 0

describe.each(["bash", "zsh", "fish"] as const)("wield completions %s", (shell) => {
  const missing = isHere(shell) ? "" : ` (left out: ${shell} is not installed)`
  it.scopedLive.skipIf(missing !== "")(`complete commands, options and the names of tools${missing}`, () =>
    Effect.gen(function* () {
      const { environment, folder, wield } = yield* project({
        "wield.config.json": '{"tools":[{"manifest":"tools.json"}]}',
        "tools.json": JSON.stringify({
          tools: ["get_weather", "get_time"].map((name) => ({
            type: "local",
            function: { name, parameters: {} }
          }))
        })
      })
      yield* wield(["list"])
      const bundle = yield* bundleOf(new URL("../bin/wield.js", import.meta.url))
      const command = join(folder, "wield")
      writeFileSync(command, `#!/bin/sh\nexec ${process.execPath} ${bundle} "$@"\n`)
      chmodSync(command, 0o755)
      const run = (script: string) => {
        const env = { ...process.env, ...environment, PATH: `${folder}:${process.env["PATH"]}` }
        const args =
          shell === "bash"
            ? ["--norc", "-c", script]
            : shell === "zsh"
              ? ["-f", "-c", script]
              : ["--no-config", "-c", script]
        return execFileSync(shell, args, { cwd: folder, env, encoding: "utf8" })
          .split("\n")
          .map((line) => line.split("\t")[0])
          .filter((line) => line !== "")
      }
      const asked = [
        [["li"], ["lint", "list"]],
        [
          ["call", "get_"],
          ["get_time", "get_weather"]
        ],
        [["call", "get_time", "--appr"], ["--approve"]],
        [["tool-file", "ch"], ["check"]]
      ] as const
      const script = (yield* wield(["completions", shell])).output
      for (const [words, expected] of asked) {
        const line = ["wield", ...words].join(" ")
        const question = {
          bash: `${script}\nCOMP_WORDS=(${line}) COMP_CWORD=${words.length}; _wield; printf '%s\\n' "\${COMPREPLY[@]}"`,
          zsh: `compadd() { shift; for one in "$@"; do [[ "$one" == "\${words[CURRENT]}"* ]] && print -r -- "$one"; done }\n_files() { : }\n${script}\nwords=(${line}); CURRENT=${words.length + 1}; _wield; true`,
          fish: `${script}\ncomplete -C "${line}"`
        }[shell]
        assert.deepStrictEqual([words, run(question).sort()], [words, [...expected]])
      }
    })
  )
})
