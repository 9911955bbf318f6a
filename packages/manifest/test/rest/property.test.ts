/** Whatever the arguments are, the API gets exactly these values, in their places, and nothing else. */
import { assert, describe, it } from "@effect/vitest"
import type * as Executor from "@wield/manifest/Executor"
import * as ManifestEntry from "@wield/manifest/ManifestEntry"
import { Effect, FastCheck, Runtime } from "effect"
import { api, type Asked, executor, json } from "./api.js"
import { runs } from "../../../../test/sizes.js"

const hostile = FastCheck.constantFrom(
  "..",
  ".",
  "../..",
  "/",
  "//evil.example",
  "%2e%2e",
  "%2f",
  "%",
  "%00",
  "?admin=1",
  "#x",
  "&admin=1",
  "a=b",
  "a;b",
  "a,b",
  "{id}",
  "\\..\\",
  "@",
  ":",
  " ",
  "+",
  "\t",
  "\u0000",
  "\r\nX-Admin: 1",
  "\u2028",
  "ä€😀",
  "'",
  '"',
  "<>|^`",
  "__proto__"
)

const text = FastCheck.oneof(
  hostile,
  FastCheck.fullUnicodeString({ maxLength: 12 }),
  FastCheck.array(hostile, { maxLength: 3 }).map((parts) => parts.join(""))
)

const scalar = FastCheck.oneof(
  text,
  FastCheck.integer(),
  FastCheck.boolean(),
  FastCheck.double({ noNaN: true, noDefaultInfinity: true })
)

/** What a path takes: neither empty nor dots alone. */
const segment = scalar.filter((value) => !["", ".", ".."].includes(String(value)))

/** What a header takes; spaces around it are not part of it. */
const headerText = FastCheck.string({ maxLength: 12 }).map((value) => value.trim())

const optional = <A>(arbitrary: FastCheck.Arbitrary<A>) => FastCheck.option(arbitrary, { nil: undefined })

const names = ["first", "second", "q", "tags", "pipes", "filter", "trace", "session", "note", "data"]

const parameters = {
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, {}])),
  required: ["first", "second"]
}

const places = {
  pipes: { in: "query", name: "p", style: "form", explode: false },
  filter: { in: "query", name: "f", style: "deepObject" },
  trace: { in: "header", name: "X-Trace" },
  session: { in: "cookie", name: "sid" }
} as const

const entry = ManifestEntry.api({
  name: "tool",
  parameters,
  api: {
    method: "POST",
    path: "/a/{first}/b/pre-{second}.json?static=1&q={q}&tag={tags}",
    parameters: places
  }
})

const form = ManifestEntry.api({
  name: "form",
  parameters,
  api: { ...entry.api, method: "PUT", contentType: "application/x-www-form-urlencoded" }
})

const given = FastCheck.record({
  first: segment,
  second: segment,
  q: optional(scalar),
  tags: optional(FastCheck.array(scalar, { maxLength: 3 })),
  pipes: optional(FastCheck.array(scalar, { maxLength: 3 })),
  filter: optional(FastCheck.dictionary(text, scalar, { maxKeys: 3 })),
  trace: optional(headerText),
  session: optional(scalar),
  note: optional(scalar),
  data: optional(FastCheck.jsonValue({ maxDepth: 3 }))
})

type Given = typeof given extends FastCheck.Arbitrary<infer A> ? A : never

const present = (values: Given): Executor.Arguments =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

/** Read by hand, since a URL parser would forgive. */
const read = ({ url }: Asked) => {
  const [path = "", query = "", ...more] = url.split("?")
  assert.deepStrictEqual(more, [])
  assert.match(url, /^[\x21-\x7e]*$/)
  return {
    segments: path.split("/").map(decodeURIComponent),
    pairs: query.split("&").map((pair) => pair.split("="))
  }
}

const expectedQuery = ({ filter, pipes, q, tags }: Given): ReadonlyArray<ReadonlyArray<string>> => [
  ["static", "1"],
  ...(q === undefined ? [] : [["q", String(q)]]),
  ...(tags ?? []).map((tag) => ["tag", String(tag)]),
  ...(pipes === undefined || pipes.length === 0
    ? []
    : [["p", pipes.map(String)]].map(([name, all]) => [String(name), JSON.stringify(all)])),
  ...Object.entries(filter ?? {}).map(([key, value]) => [`f[${key}]`, String(value)])
]

const readQuery = (pairs: ReadonlyArray<ReadonlyArray<string>>) =>
  pairs.map(([name = "", value = "", ...more]) => {
    assert.deepStrictEqual(more, [])
    return name === "p"
      ? ["p", JSON.stringify(value.split(",").map(decodeURIComponent))]
      : [decodeURIComponent(name), decodeURIComponent(value)]
  })

/** The server stays for all the runs; what it was asked last is looked at. */
const running = (one: ManifestEntry.ApiEntry, check: (values: Given, asked: Asked) => void) =>
  Effect.gen(function* () {
    const server = yield* api((_, response) => json(response, "fine"))
    const execute = (yield* executor(server.host, { url: `${server.url}/v1` })).prepare(one)
    const run = yield* Effect.runtime<never>()
    yield* Effect.promise(() =>
      FastCheck.assert(
        FastCheck.asyncProperty(given, async (values) => {
          const count = server.asked.length
          assert.strictEqual(await Runtime.runPromise(run)(execute(present(values))), "fine")
          const asked = server.asked[count]
          assert.ok(asked !== undefined && server.asked.length === count + 1)
          check(values, asked)
        }),
        { numRuns: runs(300) }
      )
    )
  })

const checkAllButBody = (method: string) => (values: Given, asked: Asked) => {
  assert.strictEqual(asked.method, method)
  const { pairs, segments } = read(asked)
  assert.deepStrictEqual(segments, ["", "v1", "a", String(values.first), "b", `pre-${String(values.second)}.json`])
  assert.deepStrictEqual(readQuery(pairs), expectedQuery(values))
  assert.strictEqual(asked.headers["x-trace"], values.trace)
  const cookie = values.session === undefined ? undefined : `sid=${asked.headers.cookie?.slice(4)}`
  assert.strictEqual(asked.headers.cookie, cookie)
  if (cookie !== undefined) {
    assert.notMatch(cookie, /[;, ]/)
    assert.strictEqual(decodeURIComponent(cookie.slice(4)), String(values.session))
  }
  const known = ["accept-encoding", "connection", "content-length", "content-type", "cookie", "host", "x-trace"]
  assert.deepStrictEqual(
    Object.keys(asked.headers).filter((name) => !known.includes(name)),
    []
  )
}

describe("for all arguments, an API gets these values and nothing else", () => {
  it.scopedLive("in a path, a query, a header, a cookie and a JSON body", () =>
    running(entry, (values, asked) => {
      checkAllButBody("POST")(values, asked)
      const body = Object.entries({ note: values.note, data: values.data }).filter(([, value]) => value !== undefined)
      assert.strictEqual(asked.body, JSON.stringify(Object.fromEntries(body)))
    })
  )

  it.scopedLive("in a form", () =>
    running(form, (values, asked) => {
      checkAllButBody("PUT")(values, asked)
      const pairs = [...new URLSearchParams(asked.body)]
      assert.deepStrictEqual(
        pairs.filter(([name]) => name === "note"),
        values.note === undefined ? [] : [["note", String(values.note)]]
      )
      assert.deepStrictEqual(
        pairs.filter(([name]) => name !== "note" && name !== "data" && !name.startsWith("data[")),
        []
      )
    })
  )
})
