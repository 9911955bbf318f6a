/** An option that protects is refused where plain JavaScript misspells it, or gives what it cannot be. */
import { FetchHttpClient } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { CodeEditor, RecentLogs, WebSearch } from "@wield/assistant"
import { Agent, ContextWindow, Conversation, DeferredCall, Fallback, Model, Stop } from "@wield/agent"
import { AgUi, Chat, Pages, UiMessages } from "@wield/chat"
import { Approval, CallContext, JsonSchema, ToolRunner, Toolset } from "@wield/core"
import * as McpConfig from "@wield/mcp/McpConfig"
import { HttpGuard } from "@wield/http"
import { RestExecutor } from "@wield/manifest"
import { OpenAiChat } from "@wield/providers"
import { Recorder, Studio } from "@wield/studio"
import { ToolsetManager } from "@wield/toolset-manager"
import { Effect, Layer, Redacted, type Scope, Stream } from "effect"
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

const past = { entries: [], requests: [] }
const ofPast = (make: unknown) => (options: unknown) => Effect.sync(() => untyped(make)(past, options))
const ofChat = (make: unknown) => (options: unknown) => Effect.sync(() => untyped(make)({}, options))

const fromWire = (options: unknown) =>
  Effect.provide(untyped<Untyped>(Model.fromWire)(OpenAiChat.format, options), FetchHttpClient.layer)

const model = { id: "m", format: "f", stream: () => Stream.empty }
const agent = await Effect.runPromise(Agent.make({ model }))
const ofAgent = (make: unknown) => (options: unknown) => untyped<Untyped>(make)(agent, options)
const ofPrepare = (changes: unknown) =>
  Effect.flatMap(Agent.make({ model, prepare: () => Effect.succeed(untyped<{}>(() => changes)()) }), (prepared) =>
    Agent.run(prepared, "Hi")
  )
const runner = await Effect.runPromise(ToolRunner.make(toolset))
const ofConfig = (options: unknown) =>
  Effect.suspend(() => untyped<ReturnType<typeof McpConfig.parse>>(McpConfig.parse)('{"mcpServers":{}}', options))
const signing = (secrets: unknown) => untyped<Untyped>(DeferredCall.sign)(secrets, {})

it.scoped.each<readonly [string, unknown, unknown, string]>([
  ["a chat", Chat.make, undefined, "What `Chat.make` takes must be an object"],
  ["a chat", Chat.make, { agent: {} }, "authorize must be a function, but is nothing"],
  ["a chat", Chat.make, { agent: {}, authorize, shows: () => "" }, 'did you mean "show"?'],
  [
    "a chat",
    Chat.make,
    { agent: () => {}, authorize, whenWaiting: "refused" },
    'whenWaiting must be "refuse" or "deny"'
  ],
  ["a durable chat", Chat.fromClient, { client: {}, authorise: authorize }, 'did you mean "authorize"?'],
  ["a studio", Studio.serve, { toolset, isReadonly: true }, 'did you mean "isReadOnly"?'],
  ["a studio", Studio.serve, { toolset, isReadOnly: "yes" }, "isReadOnly must be true or false"],
  ["a studio", Studio.serve, { toolset, token: "8Kq0pJt1bBq2xw3yVv5z6A" }, "token must be a secret"],
  ["a studio", Studio.serve, { toolset, port: "3000" }, "port must be a port between 0 and 65535"],
  ["a studio's handler", Studio.toWebHandler, { toolset }, "token must be a secret"],
  ["a studio's handler", Studio.toWebHandler, { toolset, token, host: ["app.test"] }, 'did you mean "hosts"?'],
  ["a guarded client", HttpGuard.make, null, "The policy of HttpGuard must be an object"],
  ["a guarded client", HttpGuard.make, { maxByte: 1000 }, "has no option maxByte; there are allowedHosts"],
  ["a guarded client", HttpGuard.make, { maxRedirects: "2" }, "maxRedirects must be a number"],
  ["a guarded fetch", HttpGuard.makeFetch, { maxBytes: Number.NaN }, "maxBytes must be a number"],
  ["a guarded fetch", HttpGuard.makeFetch, { allowedHosts: "localhost" }, "allowedHosts must be an array of texts"],
  ["a guarded client", HttpGuard.make, new Map([["maxBytes", 1000]]), "must be an object with options of its own"],
  ["an API", restOf, { headers: new Headers({ authorization: "x" }) }, "not an instance of Headers"],
  ["an API", restOf, { retry: Promise.resolve({ times: 0 }) }, "not a promise"],
  ["a recorder", Recorder.make, { argument: false }, 'did you mean "arguments"?'],
  ["a recorder", Recorder.make, { texts: "no" }, "texts must be true or false"],
  ["messages of a page", encoding(UiMessages.encoder), { shows: () => "" }, 'did you mean "show"?'],
  ["events of a page", encoding(AgUi.encoder), { threadId: "t", runId: "r", shw: () => "" }, 'did you mean "show"?'],
  ["messages of the past", ofPast(UiMessages.fromPast), { shows: () => "" }, 'did you mean "show"?'],
  ["messages of the past", ofPast(AgUi.fromPast), { shows: () => "" }, 'did you mean "show"?'],
  ["a page's handler", ofChat(UiMessages.handler), { show: () => "" }, "show must be named as an option is"],
  ["a page's handler", ofChat(Pages.handler), { version: "6" }, "version must be 5, 6 or 7"],
  ["a chat", Chat.make, { agent: Agent.make({ model }), authorize }, "agent must be an agent"],
  ["a run", encoding(runner.forRun), { id: null }, "id must be a name, but is null"],
  [
    "a request",
    (options: unknown) => Effect.suspend(() => untyped<Untyped>(CallContext.provide)(Effect.void, options)),
    Promise.resolve({}),
    "must be an object"
  ],
  ["a runner's layer", built(ToolRunner.layer), toolset, "must be an effect of a toolset"],
  ["a rule", encoding(Approval.strictest), Effect.void, "[0] must be a function"],
  [
    "a validator",
    (options: unknown) => untyped<Untyped>(JsonSchema.compile)({}, options),
    { format: "assertion" },
    'did you mean "formats"?'
  ],
  ["a conversation", Conversation.make, { id: "" }, "id must be a name"],
  ["a conversation", Conversation.make, { entires: [] }, 'did you mean "entries"?'],
  ["an agent", Agent.make, undefined, "must be an object with model, but is nothing"],
  ["an agent", Agent.make, { model, window: { budget: 1000 } }, "must be a window, such as"],
  ["an agent", Agent.make, { model, signing: { secrets: "8Kq0pJt1bBq2xw3yVv5z6A" } }, "but is a plain text"],
  [
    "a run of an agent",
    (options: unknown) => untyped<Untyped>(Agent.run)(agent, "Hi", options),
    { onEvnt: () => {} },
    'did you mean "onEvent"?'
  ],
  ["answers", ofAgent(Agent.check), { answers: [] }, "conversation must be a conversation"],
  ["answers", ofAgent(Agent.check), { answers: [], conversation: {}, contxt: {} }, 'did you mean "context"?'],
  ["a tool of an agent", ofAgent(Agent.toToolset), { nme: "ask", description: "" }, 'did you mean "name"?'],
  [
    "what signs",
    signing,
    "8Kq0pJt1bBq2xw3yVv5z6A",
    "must be an array of secrets, such as [Redacted.make(…)], but is a plain text"
  ],
  [
    "what signs",
    signing,
    ["8Kq0pJt1bBq2xw3yVv5z6A"],
    "must be an array of secrets, such as [Redacted.make(…)], but is an array of 1"
  ],
  ["a window", encoding(ContextWindow.make), { budgt: 1000 }, 'did you mean "budget"?'],
  ["a window", encoding(ContextWindow.make), { budget: "many" }, "budget must be a number of at least 0"],
  ["a window", encoding(ContextWindow.make), { budget: 1000, overflow: model }, "overflow must be"],
  ["a summariser", encoding(ContextWindow.summarise), "m", "What summarises must be a model"],
  ["a fallback", encoding(Fallback.make), model, "What `Fallback.make` takes must be an array"],
  ["a fallback", encoding(Fallback.make), [], "[0] must be a model"],
  ["a condition", encoding(Stop.any), [Stop.steps(1)], "[0] must be a condition"],
  ["no condition", Agent.make, { model, stop: untyped(Stop.any)() }, "at least one condition"],
  ["a model", fromWire, { model: "m", key: "8Kq0pJt1bBq2xw3yVv5z6A" }, "key must be a secret"],
  ["a step", ofPrepare, { model: "m" }, "must be a model, such as Model.fromWire"],
  ["a model", fromWire, { model: "m", timeouts: { respnse: 5 } }, 'did you mean "response"?'],
  ["a model", fromWire, { model: "m", maxResponseByte: 5 }, 'did you mean "maxResponseBytes"?'],
  ["a model", fromWire, { model: "m", retry: { times: "3" } }, "retry.times must be a whole number"],
  ["a toolset manager", ToolsetManager.make, { toolset, intial: "none" }, 'did you mean "initial"?'],
  ["a code editor", built(CodeEditor.layer), { roots: { app: "." }, alows: () => false }, 'did you mean "allows"?'],
  ["a code editor", built(CodeEditor.layer), { roots: ["."], allows: () => false }, "roots must be an object"],
  ["a search of the web", built(WebSearch.layer), { provider: "brvae", apiKey: token }, 'provider must be "searxng"'],
  ["a search of the web", built(WebSearch.layer), { provider: "brave" }, "apiKey must be a secret"],
  [
    "a search of the web",
    built(WebSearch.layer),
    { provider: "tavily", apiKey: "8Kq0pJt1bBq2xw3yVv5z6A" },
    "apiKey must be a secret"
  ],
  ["servers of a file", ofConfig, { variabels: {} }, 'did you mean "variables"?'],
  ["servers of a file", ofConfig, { variables: new Map([["KEY", "k"]]) }, "variables must be an object"],
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
    const cause = yield* causeOf(untyped<Untyped>(make)(options))
    expect(cause).toContain(problem)
    // What was given in the place of a secret may be the secret.
    expect(cause).not.toContain("8Kq0pJt1bBq2xw3yVv5z6A")
  })
)
