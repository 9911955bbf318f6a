import { readFileSync } from "node:fs"
import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { introspectJavaScript } from "../../src/javascript/introspect.js"
import type { Introspected, Source } from "../../src/syntax/Source.js"

/** Introspects a text as if it stood in the file. */
export const read = (text: string, file = "weather.ts", kind: Source["kind"] = "tool"): Effect.Effect<Introspected> =>
  Effect.flatMap(introspectJavaScript, (introspect) => introspect({ file, text, kind }))

export const fixture = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url)), "utf8")

export const readFixture = (path: string, kind: Source["kind"]): Effect.Effect<Introspected> =>
  read(fixture(path), basename(path), kind)
