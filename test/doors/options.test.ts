/** An option that protects is refused where plain JavaScript misspells it, or gives what it cannot be. */
import { expect, it } from "@effect/vitest"
import { CodeEditor, RecentLogs } from "@wield/assistant"
import { AgUi, Chat, UiMessages } from "@wield/chat"
import { Toolset } from "@wield/core"
import { HttpGuard } from "@wield/http"
import { RestExecutor } from "@wield/manifest"
import { Recorder, Studio } from "@wield/studio"
import { ToolsetManager } from "@wield/toolset-manager"
import { Effect, Layer, Redacted, type Scope } from "effect"
import { causeOf, untyped } from "../untyped.js"

type Untyped = Effect.Effect<unknown, unknown, Scope.Scope>

const authorize = () => Effect.succeed({ user: "ada" })
const token = Redacted.make("8Kq0pJt1bBq2xw3yVv5z6A")
const toolset = await Effect.runPromise(Toolset.dynamic([]))

const built = (make: unknown) => (options: unknown) =>
  Layer.build(untyped<Layer.Layer<unknown, unknown>>(make)(options))

const encoding = (make: unknown) => (options: unknown) => Effect.sync(() => untyped(make)(options))

const restOf = (options: object) =>
  RestExecutor.make({ url: "https://api.test", ...options }).pipe(Effect.provide(HttpGuard.layer()))

it.scoped.each<readonly [string, unknown, unknown, string]>([
  ["a chat", Chat.make, undefined, "What `Chat.make` takes must be an object"],
  ["a chat", Chat.make, { agent: {} }, "authorize must be a function, but is nothing"],
  ["a chat", Chat.make, { agent: {}, authorize, shows: () => "" }, 'did you mean "show"?'],
  ["a chat", Chat.make, { agent: {}, authorize, whenWaiting: "refused" }, 'whenWaiting must be "refuse" or "deny"'],
  ["a durable chat", Chat.fromClient, { client: {}, authorise: authorize }, 'did you mean "authorize"?'],
  ["a studio", Studio.serve, { toolset, isReadonly: true }, 'did you mean "isReadOnly"?'],
  ["a studio", Studio.serve, { toolset, isReadOnly: "yes" }, "isReadOnly must be true or false"],
  ["a studio", Studio.serve, { toolset, token: "8Kq0pJt1bBq2xw3yVv5z6A" }, "token must be a secret"],
  ["a studio", Studio.serve, { toolset, port: "3000" }, "port must be a port between 0 and 65535"],
  ["a studio's handler", Studio.toWebHandler, { toolset }, "token must be a secret"],
  ["a studio's handler", Studio.toWebHandler, { toolset, token, host: ["app.test"] }, 'did you mean "hosts"?'],
  ["a guarded client", HttpGuard.make, null, "The policy of HttpGuard is wrong"],
  ["a guarded client", HttpGuard.make, { maxByte: 1000 }, "wrong at maxByte: is unexpected"],
  ["a guarded client", HttpGuard.make, { maxRedirects: "2" }, "wrong at maxRedirects"],
  ["a guarded fetch", HttpGuard.makeFetch, { maxBytes: Number.NaN }, "wrong at maxBytes"],
  ["a guarded fetch", HttpGuard.makeFetch, { allowedHosts: "localhost" }, "wrong at allowedHosts"],
  ["a guarded client", HttpGuard.make, new Map([["maxBytes", 1000]]), "must be an object with options of its own"],
  ["an API", restOf, { headers: new Headers({ authorization: "x" }) }, "not an instance of Headers"],
  ["an API", restOf, { retry: Promise.resolve({ times: 0 }) }, "not a promise"],
  ["a recorder", Recorder.make, { argument: false }, 'did you mean "arguments"?'],
  ["a recorder", Recorder.make, { texts: "no" }, "texts must be true or false"],
  ["messages of a page", encoding(UiMessages.encoder), { shows: () => "" }, 'did you mean "show"?'],
  ["events of a page", encoding(AgUi.encoder), { threadId: "t", runId: "r", shw: () => "" }, 'did you mean "show"?'],
  ["a toolset manager", ToolsetManager.make, { toolset, intial: "none" }, 'did you mean "initial"?'],
  ["a code editor", built(CodeEditor.layer), { roots: { app: "." }, alows: () => false }, 'did you mean "allows"?'],
  ["a code editor", built(CodeEditor.layer), { roots: ["."], allows: () => false }, "roots must be an object"],
  ["the latest logs", built(RecentLogs.layer), { secret: [token] }, 'did you mean "secrets"?'],
  [
    "the latest logs",
    built(RecentLogs.layer),
    { secrets: ["plain"] },
    "must be a secret, such as Redacted.make(…), but is"
  ],
  ["the latest logs", built(RecentLogs.layer), { patterns: ["key-\\d+"] }, "must be a RegExp, but is"]
])("%s is not made of that: %#", ([, make, options, problem]) =>
  Effect.gen(function* () {
    expect(yield* causeOf(untyped<Untyped>(make)(options))).toContain(problem)
  })
)
