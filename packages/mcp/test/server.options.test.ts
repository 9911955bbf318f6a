/** Options of a server that a program without a compiler may give: one that is misspelt would keep no one out. */
import { assert, expect, it } from "@effect/vitest"
import { ToolRunner, Toolset } from "@wield/core"
import { Authorization, Credentials, McpServer } from "@wield/mcp"
import { Effect, Exit, type Scope } from "effect"
import { causeOf, untyped } from "../../../test/untyped.js"

const about = { name: "shop", version: "1.0.0" }

it.scoped.each<readonly [unknown, string]>([
  [undefined, "What `McpServer.make` takes must be an object"],
  [{ name: "shop" }, "version must be a name, but is nothing"],
  [{ ...about, aprovals: "deny" }, 'did you mean "approvals"?'],
  [{ ...about, approvals: "denny" }, 'approvals must be "client", "task", "deny", or an object'],
  [{ ...about, approvals: { url: () => Effect.succeed("/") } }, "approvals must be"],
  [{ ...about, offers: () => false }, 'did you mean "offer"?'],
  [{ ...about, offer: false }, "offer must be a function"],
  [{ ...about, polcy: {} }, 'did you mean "policy"?'],
  [{ ...about, secret: "plain" }, "secret must be a secret, such as Redacted.make(…)"],
  [{ ...about, tasks: { sopport: () => "optional" } }, "tasks.sopport must be named as an option is"]
])("a server is not made of %j", ([options, problem]) =>
  Effect.gen(function* () {
    expect(yield* causeOf(untyped<Effect.Effect<unknown, unknown, Scope.Scope>>(McpServer.make)(options))).toContain(
      problem
    )
  })
)

it.scoped("a policy beside a runner is refused: the runner would not obey it", () =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* Toolset.dynamic([]))
    const make = untyped<Effect.Effect<unknown, unknown, Scope.Scope>>(McpServer.make)
    expect(yield* causeOf(make({ ...about, runner, policy: {} }))).toContain(
      "policy must be left out beside `runner`, which has its own"
    )
    assert.isTrue(Exit.isSuccess(yield* Effect.exit(make({ ...about, runner, policy: undefined }))))
  })
)

it.scoped.each<readonly [unknown, string]>([
  [{ authorise: {} }, 'did you mean "authorize"?'],
  [{ authorize: "Bearer secret" }, "authorize must be what `Authorization.jwt` or `Authorization.bearer` gives"],
  [{ authorize: { verify: () => true } }, "authorize must be what"],
  [{ hosts: "mcp.test" }, 'hosts must be an array of names, or "any", but is "mcp.test"'],
  [{ origin: ["https://app.test"] }, 'did you mean "origins"?'],
  [{ legacy: "none" }, "legacy must be"]
])("a server is not served with %j", ([options, problem]) =>
  Effect.gen(function* () {
    const server = yield* McpServer.make(about)
    expect(() => untyped(McpServer.toWebHandler)(server, options)).toThrow(problem)
  })
)

const resource = "https://mcp.test/mcp"
const issuer = "https://login.test"
const keys = { keys: [] }

it.each<readonly [unknown, unknown, string]>([
  [Authorization.jwt, { resource, issuer, keys, scope: ["orders:read"] }, 'did you mean "scopes"?'],
  [Authorization.jwt, { resource, issuer: undefined, keys }, "issuer must be a name, but is nothing"],
  [Authorization.jwt, { resource, issuer, keys, audience: "" }, "audience must be a name"],
  [Authorization.jwt, { resource, issuer, keys: "https://login.test/keys" }, "keys must be a URL"],
  [Authorization.bearer, { resource, issuers: issuer, verify: () => true }, "issuers must be an array of texts"],
  [Authorization.bearer, { resource, issuers: [issuer] }, "verify must be a function"],
  [Credentials.oauth, { redirectUrl: "http://localhost/" }, "store must be an object with the functions"],
  [Credentials.oauth, undefined, "What `Credentials.oauth` takes must be an object"]
])("%o of %j is refused", (make, given, problem) => {
  expect(() => untyped(make)(given)).toThrow(problem)
})
