/** The workers of all scripts and function files, by what they have loaded. */
import type { Json } from "@wield/core"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { dirname, resolve } from "node:path"
import { kindOf } from "../process/interpreter.js"
import type { Script, ScriptFunction } from "../Script.js"
import { type Group, type GroupOptions, type Host, makeGroup, type Member } from "./group.js"
import { modeOf } from "./settings.js"

/** The workers of one script, or of all scripts of one language in one folder. */
export interface Entry {
  readonly group: Group
  readonly options: GroupOptions
}

export class Groups {
  readonly #entries = new Map<string, Entry>()
  /** Those too that have no more calls but that which runs. */
  readonly #all = new Set<Group>()

  constructor(private readonly host: Host) {}

  /** They end with the scope. */
  static make(host: Host): Effect.Effect<Groups, never, Scope.Scope> {
    return Effect.acquireRelease(
      Effect.sync(() => new Groups(host)),
      (groups) =>
        Effect.suspend(() => Effect.forEach([...groups.#all], ({ close }) => close, { concurrency: "unbounded" }))
    )
  }

  /** The group whose workers have loaded this very text, and know how this function is called. */
  ofScript(script: Script, called: ScriptFunction): Effect.Effect<Entry> {
    const { settings } = this.host
    const file = resolve(script.file)
    const kind = kindOf(script.language)
    const key =
      settings.workersPer === "script"
        ? `script\0${file}`
        : ["language", kind, dirname(file), ...(script.shebang ?? [])].join("\0")
    const entry = this.#entries.get(key)
    const found = entry?.options.scripts.find((one) => one.file === file)
    const loaded = found?.text === script.text ? found.functions : []
    const isKnown = loaded.some((one) => isCalledAlike(one, called))
    if (entry !== undefined && isKnown) return Effect.succeed(entry)
    // Toolsets over one file may each have some of its functions: workers that knew only those would take turns.
    const functions = new Map([...loaded, ...script.functions, called].map((one) => [one.entry, one]))
    const member: Member = { ...script, file, functions: [...functions.values()] }
    const others = entry?.options.scripts.filter((one) => one.file !== file) ?? []
    const scripts = [member, ...others] as const
    return this.#open(key, {
      kind,
      mode: modeOf(settings.isolation, kind),
      programKind: "script",
      scripts,
      config: null
    })
  }

  /** The group of one function file, whose state stays as long as its text and its configuration. */
  ofFunctionFile(file: string, text: string, config: Json.Json): Effect.Effect<Entry> {
    const key = `function-file\0${file}`
    const entry = this.#entries.get(key)
    const isLoaded =
      entry?.options.scripts[0].text === text &&
      (entry.options.config === config || JSON.stringify(entry.options.config) === JSON.stringify(config))
    if (entry !== undefined && isLoaded) return Effect.succeed(entry)
    const member: Member = { file, text, functions: [], shebang: undefined, requiredTools: [], environment: [] }
    return this.#open(key, { kind: "python", mode: "keep", programKind: "function-file", scripts: [member], config })
  }

  /** Ends the workers of a file, each when its call is over. */
  forget(file: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      const path = resolve(file)
      const isOf = ({ options }: Entry) => options.scripts.some((script) => script.file === path)
      const keys = [...this.#entries].flatMap(([key, entry]) => (isOf(entry) ? [key] : []))
      return Effect.forEach(keys, (key) => this.#retire(key), { discard: true })
    })
  }

  #open(key: string, options: GroupOptions): Effect.Effect<Entry> {
    return Effect.map(this.#retire(key), () => {
      const entry = { group: makeGroup(this.host, options), options }
      this.#all.add(entry.group)
      this.#entries.set(key, entry)
      return entry
    })
  }

  #retire(key: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      const group = this.#entries.get(key)?.group
      this.#entries.delete(key)
      if (group === undefined) return Effect.void
      const drained = Effect.zipRight(
        group.retire,
        Effect.sync(() => this.#all.delete(group))
      )
      return Effect.asVoid(Effect.forkDaemon(drained))
    })
  }
}

/** Two readings of one text have functions of their own. */
const isCalledAlike = (one: ScriptFunction, other: ScriptFunction): boolean =>
  one === other || (one.entry === other.entry && callingOf(one) === callingOf(other))

const callingOf = ({ binding, parameters, passing }: ScriptFunction): string =>
  JSON.stringify([passing, parameters, binding])
