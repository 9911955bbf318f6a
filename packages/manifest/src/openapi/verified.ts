/** The entries whose parameters a validator can be made of. */
import { JsonSchema } from "@wield/core"
import * as Effect from "effect/Effect"
import type { ApiEntry } from "../ManifestEntry.js"
import type { Note } from "./Importing.js"

export const verified = (entries: ReadonlyArray<ApiEntry>, note: Note): Effect.Effect<ReadonlyArray<ApiEntry>> =>
  Effect.flatMap(JsonSchema.compiler, (compile) =>
    Effect.filter(entries, (entry) =>
      compile(entry.function.parameters, { formats: "assertion" }).pipe(
        Effect.as(true),
        Effect.catchAll((error) => {
          const { api, function: definition } = entry
          const problem = `${api.method} ${api.path} is left out: its parameters cannot be validated: ${error.message}`
          note("error", "invalid-schema", problem, ["paths", api.path ?? ""], definition.name)
          return Effect.succeed(false)
        })
      )
    )
  )
