/** That values of secret variables do not leave scripts. */
import { expect, it } from "@effect/vitest"
import { CurrentCall, type Json } from "@wield/core"
import { Effect, Predicate } from "effect"
import type { ExecutionError } from "../../src/ExecutionError.js"
import { shareInFile } from "../shareInFile.js"
import { makeExecutor } from "./scripts.js"

const key = 'mF9/zXq0Wc"7Lb\\Tn4é'
const lines = Array.from({ length: 28 }, (_, line) => `line${line}of/the+key/of/many`)
const pem = ["-----BEGIN PRIVATE KEY-----", ...lines, "-----END PRIVATE KEY-----"].join("\n")
const number = "87654321"

const secrets = { set: { API_KEY: key, PRIVATE_KEY: pem, PASSWORD: number } }

const usual = shareInFile(makeExecutor({ environment: secrets, workers: { size: 1 } }))

/** Parts of the secrets that must not be found, as they are or as JSON writes them. */
const parts = [key, JSON.stringify(key).slice(1, -1), key.slice(-8), ...lines, number]

const told = (exit: Json.Json | ExecutionError): string => `${JSON.stringify(exit)} ${String(exit)}`

const python: ReadonlyArray<readonly [string, string]> = [
  ["a text of JSON", "return json.dumps({'key': [environ['PRIVATE_KEY']]})"],
  ["a text of JSON with slashes escaped", "return json.dumps({'key': environ['API_KEY']}).replace('/', '\\\\/')"],
  [
    "a text of JSON with letters escaped",
    "return '[\"' + ''.join('\\\\u%04x' % ord(c) for c in environ['API_KEY']) + '\"]'"
  ],
  ["what it wrote", "open(environ['LLM_OUTPUT'], 'w').write(json.dumps(environ['PRIVATE_KEY'])[1:-1])"],
  ["keys and members of a value", "return {environ['API_KEY']: {'a': [environ['PRIVATE_KEY']]}}"],
  ["a number", "return {'number': int(environ['PASSWORD'])}"],
  ["a line of several", "return environ['PRIVATE_KEY'].split('\\n')[7] + '!'"],
  ["an exception that shows its value", "raise KeyError(environ['PRIVATE_KEY'])"],
  ["an exception that shows its value", "raise ValueError('not %r' % environ['API_KEY'])"],
  ["the class of an exception", "raise type(environ['API_KEY'], (Exception,), {})()"],
  ["the last lines of standard error", "sys.stderr.write(environ['PRIVATE_KEY'] + '\\nend'); sys.exit(3)"],
  ["standard error that was cut through", "sys.stderr.write(environ['API_KEY'] + 'x' * 4088); sys.exit(3)"],
  ["JSON on standard error", "sys.stderr.write(json.dumps(environ['PRIVATE_KEY'])); sys.exit(3)"]
]

it.scopedLive("no secret leaves a script, in whatever it answers, writes or fails with", () =>
  Effect.gen(function* () {
    const { run } = yield* usual
    const functions = python.map(([, body], index) => `def run${index}():\n  ${body}\n`)
    const text = `import json, sys\nfrom os import environ\n${functions.join("")}`
    for (const [index, [what]] of python.entries()) {
      const result = yield* Effect.merge(run("python", text, {}, { name: "python", entry: `run${index}` }))
      expect([what, parts.filter((part) => told(result).includes(part))]).toEqual([what, []])
      expect(told(result)).toMatch(/redacted|xxxx/)
    }
  })
)

it.scopedLive("no secret leaves a Bash script in what it had printed before it failed", () =>
  Effect.gen(function* () {
    const { run } = yield* usual
    const text = `main() { printf '%s%04088d' "$API_KEY" 5; exit 3; }\n`
    const error = yield* Effect.flip(run("bash", text))
    expect(parts.filter((part) => told(error).includes(part))).toEqual([])
    expect(error).toMatchObject({ _tag: "ScriptExited", exitCode: 3 })
  })
)

it.scopedLive("no secret leaves JavaScript in the name of an error", () =>
  Effect.gen(function* () {
    const { run } = yield* usual
    const text = `export function run() { throw Object.assign(new Error("no"), { name: process.env.API_KEY }) }\n`
    expect(yield* Effect.flip(run("javascript", text))).toMatchObject({ _tag: "ScriptRaised", error: "<redacted>" })
  })
)

it.scopedLive("what a script prints before it ends while it is loaded is told, without secrets", () =>
  Effect.gen(function* () {
    const { run } = yield* usual
    const text = `import os, sys\nsys.stderr.write('no licence: ' + os.environ['API_KEY'])\nsys.stderr.flush()\nos._exit(3)\ndef run(): pass\n`
    expect(yield* Effect.flip(run("python", text))).toMatchObject({
      _tag: "ScriptNotStarted",
      standardError: "no licence: <redacted>"
    })
  })
)

it.scopedLive("a secret that is printed in two steps is not told as progress", () =>
  Effect.gen(function* () {
    const { run } = yield* usual
    const text = `import os, sys, time\ndef run():\n  for part in (os.environ['API_KEY'][:9], os.environ['API_KEY'][9:], ' end'):\n    sys.stdout.write(part)\n    sys.stdout.flush()\n    time.sleep(0.05)\n`
    const told: Array<unknown> = []
    yield* run("python", text).pipe(
      Effect.provideService(CurrentCall.CurrentCall, {
        id: "1",
        name: "tool",
        idempotencyKey: "",
        run: { id: "" },
        attempt: 1,
        progress: (value) => Effect.sync(() => void told.push(value))
      })
    )
    const printed = told.map((value) => (Predicate.isRecord(value) ? value["text"] : undefined)).join("")
    expect(printed).toBe("<redacted> end")
  })
)
