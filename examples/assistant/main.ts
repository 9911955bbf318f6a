/**
 * A personal assistant in the terminal, with all toolkits of `@wield/assistant`:
 * what it remembers, your goals, documents, conversations and the journal are in
 * one file, which needs no set-up. It asks before it edits a file, and shows the
 * difference; memories that say the same become one in the background.
 *
 *     ANTHROPIC_API_KEY=… npx tsx examples/assistant/main.ts [--file path] [--folder path] [--conversation id]
 *
 * `/ingest file` has a document of the folder searched from then on. The variables
 * for other providers are in ../chat/model.ts, those for the search of the web at
 * `WebSearch.layerConfig`. Where no key is set, two days are played that are
 * written down in days.ts.
 */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { FetchHttpClient } from "@effect/platform"
import * as FileStore from "@wield/agent/FileStore"
import * as SqlConversationStore from "@wield/agent/SqlConversationStore"
import * as SqlJournal from "@wield/agent/SqlJournal"
import { WebSearch } from "@wield/assistant"
import { Console, Effect, Layer } from "effect"
import { fromEnvironment, variables } from "../chat/model.js"
import { realTerminal } from "../chat/terminal.js"
import { converse } from "./converse.js"
import { demonstrate } from "./demonstration.js"
import { languageModel } from "./languageModel.js"
import { toolsIn } from "./tools.js"

const { values } = parseArgs({
  options: {
    file: { type: "string" },
    folder: { type: "string", default: "." },
    conversation: { type: "string", default: "the first" },
    user: { type: "string", default: "me" }
  }
})
const file = values.file ?? join(mkdtempSync(join(tmpdir(), "wield-assistant-")), "assistant.db")
const database = FileStore.layerClient({ path: file })

const program = Effect.gen(function* () {
  const model = yield* fromEnvironment(process.env)
  if (model === undefined) {
    yield* Console.log(`For a real model, set one of ${variables.join(", ")}.\n`)
    return yield* demonstrate(database)
  }
  const { conversation, user } = values
  yield* converse({ model, terminal: yield* realTerminal, user, conversation }).pipe(
    Effect.provide(
      toolsIn({ folder: values.folder, search: WebSearch.layerConfig, consolidation: {} }).pipe(
        Layer.provideMerge(Layer.merge(SqlConversationStore.layer, SqlJournal.layer)),
        Layer.provide([database, languageModel(model)])
      )
    )
  )
  yield* Console.log(`\nTo go on: npx tsx examples/assistant/main.ts --file ${file}`)
})

// A key goes to the address that it is for, and nowhere else.
const httpClient = Layer.merge(FetchHttpClient.layer, Layer.succeed(FetchHttpClient.RequestInit, { redirect: "error" }))
await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(httpClient)))
