/** The folder that an executor makes with its first program, for tests that have programs without an executor. */
import * as Effect from "effect/Effect"
import { mkdirSync } from "node:fs"
import { temporaryFolder as named } from "../../src/process/temporaryFolder.js"

export const temporaryFolder = Effect.tap(named, (folder) => Effect.sync(() => mkdirSync(folder, { mode: 0o700 })))
