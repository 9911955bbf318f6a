/** The tools of a personal assistant. Needs `@wield/assistant` and `libsql`. */
import * as AiError from "@effect/ai/AiError"
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as FileStore from "@wield/agent/FileStore"
import * as Assistant from "@wield/assistant/Assistant"
import * as DocumentToolkit from "@wield/assistant/DocumentToolkit"
import * as GoalToolkit from "@wield/assistant/GoalToolkit"
import * as MemoryToolkit from "@wield/assistant/MemoryToolkit"
import * as Recall from "@wield/assistant/Recall"
import * as ReflectionToolkit from "@wield/assistant/ReflectionToolkit"
import * as UserToolkit from "@wield/assistant/UserToolkit"
import * as CallContext from "@wield/core/CallContext"
import * as Json from "@wield/core/Json"
import * as Options from "@wield/core/Options"
import * as Toolset from "@wield/core/Toolset"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import * as Stream from "effect/Stream"
import type { Changes, Step } from "./agent.js"
import { checkNames } from "./internal/checkNames.js"
import { type AnyToolset, combineAll, sourceOf, type ToolSource } from "./internal/source.js"

export type { ToolSource }

/** What an assistant keeps, and what it needs for its kits. */
export interface AssistantOptions {
  /** The SQLite file. A missing one is made. */
  readonly path: string
  readonly kits: ReadonlyArray<Kit>
  /** Where `web` searches: DuckDuckGo unless given, which refuses those who ask often. */
  readonly search?:
    | { readonly provider: "brave" | "tavily"; readonly key: string }
    | { readonly provider: "searxng"; readonly url: string }
    | { readonly provider: "duckduckgo" }
  /**
   * A model that puts memories in words (`reflection`) and writes edits (`code`):
   * `async (prompt) => (await helper.ask(prompt)).text`. `reflection` finds memories without one.
   */
  readonly ask?: (prompt: string) => Promise<string>
  /** The folders in which `code` edits files, by the names that the model knows them by. */
  readonly roots?: { readonly [name: string]: string }
}

/** The tools, and what the assistant remembers by itself. */
export interface AssistantSource extends ToolSource {
  /** For `prepare` of an agent over these tools: adds what comes to mind to the instructions. */
  readonly recall: (step: Step) => Promise<Changes>
}

/**
 * What an assistant keeps and can do: goals, memories by name or as `notes` by number, documents, the user's names; answers
 * from memories (`reflection`), pages of the `web`, edits of files (`code`).
 */
export type Kit = keyof typeof kits

// Each with its handlers. Those that read the web, or write code, are loaded when they are wanted.
const kits = {
  goals: () => Toolset.fromLayer(GoalToolkit.toolkit, GoalToolkit.layer),
  memories: () => Toolset.fromLayer(MemoryToolkit.toolkit, MemoryToolkit.layer),
  notes: () => Toolset.fromLayer(MemoryToolkit.noteToolkit, MemoryToolkit.noteLayer),
  documents: () => Toolset.fromLayer(DocumentToolkit.toolkit, DocumentToolkit.layer),
  names: () => Toolset.fromLayer(UserToolkit.toolkit, UserToolkit.layer),
  reflection: ({ ask }: AssistantOptions) =>
    ask === undefined
      ? Toolset.fromLayer(ReflectionToolkit.toolkit, ReflectionToolkit.layerWithoutModel)
      : Toolset.fromLayer(ReflectionToolkit.toolkit, Layer.provide(ReflectionToolkit.layer, modelOf(ask))),
  web: ({ search = { provider: "duckduckgo" } }: AssistantOptions) =>
    Effect.gen(function* () {
      const [{ layer, toolkit }, WebPage, WebSearch, Wikipedia] = yield* Effect.promise(() =>
        Promise.all([
          import("@wield/assistant/WebToolkit"),
          import("@wield/assistant/WebPage"),
          import("@wield/assistant/WebSearch"),
          import("@wield/assistant/Wikipedia")
        ])
      )
      const engine = WebSearch.layer("key" in search ? { ...search, apiKey: Redacted.make(search.key) } : search)
      return yield* Toolset.fromLayer(toolkit, Layer.provide(layer, [engine, WebPage.layer(), Wikipedia.layer()]))
    }),
  code: ({ ask, roots }: AssistantOptions) =>
    Effect.gen(function* () {
      if (ask === undefined || roots === undefined) {
        return yield* Effect.die(
          new TypeError("The kit `code` needs `roots`, folders by name, and `ask`, a model that writes edits")
        )
      }
      const [{ layer, toolkit }, CodeEditor] = yield* Effect.promise(() =>
        Promise.all([import("@wield/assistant/CodeToolkit"), import("@wield/assistant/CodeEditor")])
      )
      const editor = Layer.provide(CodeEditor.layer({ roots }), modelOf(ask))
      return yield* Toolset.fromLayer(toolkit, Layer.provide(layer, editor))
    })
}

const modelOf = (ask: (prompt: string) => Promise<string>): Layer.Layer<LanguageModel.LanguageModel> =>
  Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: ({ prompt }) =>
        Effect.tryPromise({
          try: async () => {
            const texts = prompt.content.flatMap(({ content }) =>
              typeof content === "string" ? [content] : content.map((part) => (part.type === "text" ? part.text : ""))
            )
            return [{ type: "text" as const, text: String(await ask(texts.join("\n\n"))) }]
          },
          catch: (cause) => new AiError.UnknownError({ module: "wield/assistant", method: "ask", cause })
        }),
      streamText: () => Stream.empty
    })
  )

/**
 * Tools that keep data of each user in a SQLite file. Runs need `context: { user_id, conversation_id }`.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { mkdtempSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { wield } from "wield"
 * import { assistant } from "wield/assistant"
 *
 * const path = join(mkdtempSync(join(tmpdir(), "wield-")), "assistant.db")
 * await using tools = await wield({ toolsets: [assistant({ path, kits: ["goals"] })] })
 * const run = tools.run({ context: { user_id: "ada", conversation_id: "c1" } })
 * await run.call("create_goal", { goal_name: "Learn Greek" })
 * assert.match(JSON.stringify(await run.call("print_goal", { goal_name: "Learn Greek" })), /Learn Greek/)
 * ```
 */
export const assistant = (options: AssistantOptions): AssistantSource => {
  checkNames("`assistant`", options ?? null, Object.keys(checks))
  Options.orThrow(Options.fields(checks, ["path", "kits"])(options, ["assistant"]))
  let runtime: Runtime.Runtime<Assistant.Services> | undefined
  const toolset = Effect.gen(function* () {
    runtime = yield* Effect.runtime<Assistant.Services>()
    const none: AnyToolset = yield* Toolset.constant([])
    const all = yield* Effect.forEach(options.kits, (kit): Effect.Effect<AnyToolset, unknown, Services> =>
      kits[kit](options)
    )
    return combineAll([none, ...all])
  })
  return {
    ...sourceOf(toolset, Layer.provideMerge(Assistant.layer(), FileStore.layerClient({ path: options.path }))),
    recall: async (step) => {
      if (runtime === undefined) throw new TypeError("`recall` needs the assistant in `toolsets` of `wield`")
      const recalled = Effect.provideService(Recall.prepare()(step), CallContext.CallContext, step.context)
      return Runtime.runPromise(runtime, recalled, { signal: step.signal })
    }
  }
}

type Services = Effect.Effect.Context<ReturnType<(typeof kits)[Kit]>>

/** What each provider of `search` needs. */
const needs: { readonly [provider: string]: ReadonlyArray<string> } = {
  brave: ["key"],
  tavily: ["key"],
  searxng: ["url"],
  duckduckgo: []
}

const aProvider = Options.oneOf(...Object.keys(needs))

const aSearch: Options.Check = (value, path = []) => {
  const provider = Json.isPlain(value) ? value["provider"] : undefined
  if (aProvider(provider) !== undefined) return aProvider(provider, [...path, "provider"])
  const needed = needs[String(provider)] ?? []
  const settings = Object.fromEntries(needed.map((name) => [name, Options.aName]))
  return Options.fields({ provider: aProvider, ...settings }, needed)(value, path)
}

const checks: Options.Checks<AssistantOptions> = {
  path: Options.aName,
  kits: Options.list(Options.oneOf(...Object.keys(kits))),
  search: aSearch,
  ask: Options.holds("an async function from a prompt to a text", (value) => typeof value === "function"),
  roots: Options.record(Options.aName)
}
