import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type { Toolset as CoreToolset } from "@wield/core"
import type { ToolsetManager } from "@wield/toolset-manager"
import * as ToolsetExport from "@wield/toolset-manager/ToolsetExport"
import * as Effect from "effect/Effect"
import { Api, Conflict, type Failed, NotFound, Refused, type Toolset, type ToolsetPreview } from "../Api.js"
import * as Json from "@wield/core/Json"
import { tokensOfTool, failureOf, messageOf, offerOf, type Parts } from "./parts.js"

type Manager = ToolsetManager.Service<CoreToolset.DynamicTools, never, unknown>

export const toolsetsHandlers = (parts: Parts) =>
  HttpApiBuilder.group(Api, "toolsets", (handlers) =>
    handlers
      .handle("list", ({ urlParams: { conversation = "" } }) =>
        using(parts, (manager) =>
          Effect.gen(function* () {
            const [toolsets, active, all] = yield* Effect.all([
              manager.list,
              manager.active(conversation),
              manager.preview("all")
            ])
            const modules = new Map<string, Array<ToolsetPreview["details"][number]>>()
            for (const one of all.details) {
              modules.set(one.module ?? "", [...(modules.get(one.module ?? "") ?? []), functionOf(one)])
            }
            return {
              toolsets: toolsets.map(toolsetOf),
              modules: [...modules].map(([name, functions]) => ({ name, functions })),
              active: yield* previewOf(parts, active),
              isInitial: active.isInitial
            }
          })
        ).pipe(Effect.catchTags(onlyNotFound))
      )
      .handle("preview", ({ path: { name } }) =>
        using(parts, (manager) => Effect.flatMap(manager.preview(name), (preview) => previewOf(parts, preview))).pipe(
          Effect.catchTags(onlyNotFound)
        )
      )
      .handle("draft", ({ payload: { functions } }) =>
        using(parts, (manager) =>
          Effect.flatMap(manager.preview(functions), (preview) => previewOf(parts, preview))
        ).pipe(Effect.catchTags(onlyNotFound))
      )
      .handle("activate", ({ payload: { conversation, functions, name } }) =>
        using(parts, (manager) =>
          Effect.gen(function* () {
            if (name !== undefined) yield* manager.activate(conversation, name)
            else if (functions !== undefined) yield* manager.custom(conversation, functions)
            else yield* manager.reset(conversation)
            return yield* previewOf(parts, yield* manager.active(conversation))
          })
        ).pipe(Effect.catchTag("Conflict", ({ message }) => new Refused({ message })))
      )
      .handle("save", ({ path: { name }, payload: { functions, isReplacing, metadata, was } }) =>
        using(parts, (manager) =>
          Effect.gen(function* () {
            const there = was === undefined ? undefined : (yield* manager.list).find((set) => set.name === name)
            if (there !== undefined && !isSame(there.functions, was!)) {
              return yield* new Conflict({
                message: `The toolset ${JSON.stringify(name)} was saved elsewhere meanwhile`
              })
            }
            const made = yield* manager.save(name, functions, {
              // The JSON of an object is one.
              ...(metadata === undefined ? {} : { metadata: Json.attempt(metadata) as never }),
              isReplacing
            })
            return toolsetOf(made)
          })
        )
      )
      .handle("copy", ({ path: { name }, payload: { to } }) =>
        using(parts, (manager) =>
          Effect.gen(function* () {
            const { functions, metadata } = yield* manager.export(name)
            return toolsetOf(yield* manager.save(to, functions, { metadata }))
          })
        )
      )
      .handle("rename", ({ path: { name }, payload: { to } }) =>
        using(parts, (manager) => Effect.map(manager.rename(name, to), toolsetOf))
      )
      .handle("delete", ({ path: { name } }) =>
        using(parts, (manager) => Effect.map(manager.delete(name), (conversations) => ({ conversations })))
      )
      .handle("export", ({ path: { name } }) =>
        using(parts, (manager) => manager.export(name)).pipe(
          Effect.map((exported) => ({ ...exported, metadata: { ...exported.metadata } })),
          Effect.catchTags(onlyNotFound)
        )
      )
      .handle("import", ({ payload: { exported, isReplacing, name } }) =>
        using(parts, (manager) =>
          Effect.gen(function* () {
            const text = typeof exported === "string" ? exported : JSON.stringify(exported)
            const file = yield* ToolsetExport.parse(text)
            const { skipped, toolset } = yield* manager.import(file, { name, isReplacing })
            return { toolset: toolsetOf(toolset), skipped }
          })
        )
      )
  )

const isSame = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  new Set(one).size === new Set(other).size && one.every((name) => other.includes(name))

/** The manager's errors by what a client can do about them. */
const using = <A>(
  { manager }: Parts,
  use: (manager: Manager) => Effect.Effect<A, unknown>
): Effect.Effect<A, NotFound | Refused | Conflict | Failed> =>
  manager === undefined
    ? Effect.fail(new NotFound({ message: "This studio has no toolsets: it was made without a manager" }))
    : Effect.mapError(use(manager), (error) => {
        const message = messageOf(error)
        switch (typeof error === "object" && error !== null && "_tag" in error ? error._tag : undefined) {
          case "UnknownToolset":
            return new NotFound({ message })
          case "Conflict":
          case "ToolsetExists":
          case "ToolsetChanged":
            return new Conflict({ message })
          case "UnknownFunctions":
          case "ReservedName":
          case "EmptyToolset":
          case "NotUserToolset":
          case "NowhereToSave":
          case "InvalidExport":
            return new Refused({ message })
          default:
            return failureOf(error)
        }
      })

/** What only looks is never refused. */
const onlyNotFound = {
  Refused: ({ message }: Refused) => new NotFound({ message }),
  Conflict: ({ message }: Conflict) => new NotFound({ message })
}

const countsOf = ({ enabled, functions, missing, status, total }: ToolsetManager.Counts) => ({
  functions,
  enabled,
  total,
  missing,
  status
})

const toolsetOf = (listed: ToolsetManager.Listed): Toolset => ({
  ...countsOf(listed),
  name: listed.name,
  type: listed.type,
  metadata: { ...listed.metadata },
  isOverriding: listed.isOverriding
})

const functionOf = ({ description, isLoaded, module, name }: ToolsetManager.PreviewedFunction) =>
  Json.withoutUndefined({ name, isLoaded, description, module })

const previewOf = (
  parts: Parts,
  preview: Omit<ToolsetManager.Preview, "type"> & { readonly type: ToolsetPreview["type"] }
): Effect.Effect<ToolsetPreview, Failed> =>
  Effect.map(offerOf(parts), ({ entries }) => ({
    ...countsOf(preview),
    ...(preview.name === undefined ? {} : { name: preview.name }),
    type: preview.type,
    details: preview.details.map(functionOf),
    tokens: preview.functions.reduce((sum, name) => {
      const entry = entries.get(name)
      return entry === undefined ? sum : sum + tokensOfTool(entry.definition)
    }, 0)
  }))
