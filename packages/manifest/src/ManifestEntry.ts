/** The entries of a manifest: each becomes a tool. */
import type { Json } from "@wield/core"
import * as Facts from "@wield/core/Facts"
import { isObject } from "@wield/core/Json"
import {
  aCount,
  aFlag,
  aNumber,
  anything,
  aText,
  type Checks,
  fields,
  holds,
  orThrow,
  record,
  texts
} from "@wield/core/Options"
import { splitContext } from "./load/context.js"
import type * as ManifestFile from "./ManifestFile.js"

/**
 * Where something stands in a manifest's file; lines and columns count from 1.
 *
 * @category models
 */
export interface Place {
  readonly file: string | undefined
  readonly line: number
  readonly column: number
}

/**
 * The part of a text that an entry was read from, with the places in it.
 *
 * @category models
 */
export interface Source {
  readonly file: string | undefined
  /** The entry's path from the root of the file, such as `[0]`. */
  readonly path: ReadonlyArray<string | number>
  /**
   * The place of what stands at a path within the entry, or of the nearest that
   * does; with an offset, of that character (UTF-16 units from 0) of the text
   * there, whatever escapes the file writes it with.
   */
  readonly at: (path: ReadonlyArray<string | number>, offset?: number) => Place
}

/**
 * What a model is shown of a tool.
 *
 * @category models
 */
export interface FunctionDefinition {
  readonly name: string
  readonly description: string | undefined
  /** A JSON Schema whose root is an object; hidden fields are among its properties. */
  readonly parameters: Json.JsonSchema
}

/**
 * What every entry has.
 *
 * @category models
 */
export interface Common {
  readonly function: FunctionDefinition
  /** Names of parameters that the call context supplies, in any case. */
  readonly context: ReadonlyArray<string>
  /** Those of the context that the call context need not have; without one of the others a call ends as `MissingContext`. */
  readonly optionalContext: ReadonlyArray<string>
  /** What the entry states; what follows from its kind is added when tools are made of it. */
  readonly facts: Partial<Facts.Facts>
  /** Absent for an entry that did not come from a text. */
  readonly source: Source | undefined
}

/**
 * Where an API takes a parameter, and how it is written there: OpenAPI's `in`, `style` and `explode`.
 *
 * @category models
 */
export type ParameterPlace = typeof ManifestFile.ParameterPlace.Type

/**
 * What a call sends to which executor.
 *
 * @category models
 */
export interface Api {
  /** The executor's name; `default` unless the file says otherwise. */
  readonly name: string
  /** A GraphQL document or an SQL statement. */
  readonly query: string | undefined
  /** Which operation of the document, where it has several. */
  readonly operation: string | undefined
  /** A path under the executor's URL, with `{parameter}`s, and a query template after `?`. */
  readonly path: string | undefined
  /** An HTTP method, upper case. */
  readonly method: string | undefined
  /** Headers of each request, with `{parameter}`s. */
  readonly headers: { readonly [name: string]: string }
  /** Where parameters go that are neither in the path nor in its query template. */
  readonly parameters: { readonly [parameter: string]: ParameterPlace }
  /**
   * Content type of the request body: JSON unless given. Forms and multipart are
   * written as such, types that end in `json` as JSON; of any other type the
   * body is the text of the parameter that `body` names.
   */
  readonly contentType: string | undefined
  /** The parameter whose value is the whole body, where the body is no object whose properties are parameters. */
  readonly body?: string | undefined
  /** SQL: the statement may write. */
  readonly isWriting: boolean
  readonly result: {
    /** A JSON Schema of what the tool answers. */
    readonly schema: Json.JsonSchema | undefined
    /** A JSON Pointer to the part of the answer that the model is given. */
    readonly path: string | undefined
  }
  readonly pagination:
    | {
        /** The parameter that a next page is asked with. */
        readonly parameter: string
        /** A JSON Pointer to its value in the answer before. */
        readonly from: string
        /** A JSON Pointer to the items, which are put together. */
        readonly items: string
        readonly maxPages: number
      }
    | undefined
  readonly limits: {
    /** Milliseconds. */
    readonly timeout: number | undefined
    readonly maxBytes: number | undefined
    readonly maxRows: number | undefined
  }
}

/**
 * A tool that calls an API.
 *
 * @category models
 */
export interface ApiEntry extends Common {
  readonly _tag: "Api"
  readonly api: Api
}

/**
 * A tool whose handler is given in code.
 *
 * @category models
 */
export interface LocalEntry extends Common {
  readonly _tag: "Local"
  /** The file has no more than the tool's name: what a model is shown is given in code, with the handler. */
  readonly isNameOnly: boolean
}

/**
 * A tool that a client executes: each call is deferred.
 *
 * @category models
 */
export interface ClientEntry extends Common {
  readonly _tag: "Client"
}

/**
 * One tool of a manifest.
 *
 * @category models
 */
export type Entry = ApiEntry | LocalEntry | ClientEntry

/**
 * What an entry is made from in code; only the name is needed.
 *
 * @category models
 */
export interface Parts {
  readonly name: string
  readonly description?: string | undefined
  /** No parameters unless given. */
  readonly parameters?: Json.JsonSchema | undefined
  /** Hidden fields; `region?` is one that may be absent from the call context. */
  readonly context?: ReadonlyArray<string> | undefined
  readonly facts?: Partial<Facts.Facts> | undefined
  readonly source?: Source | undefined
}

const aSchema = holds("a JSON Schema", isObject)

// Of a name that is misspelt, a hidden field would be the model's to set, and a statement would have no limit.
const ofParts = {
  name: aText,
  description: aText,
  parameters: aSchema,
  context: texts,
  facts: Facts.check,
  source: anything
} satisfies Checks<Parts>

const ofApi = {
  name: aText,
  query: aText,
  operation: aText,
  path: aText,
  method: aText,
  headers: record(aText),
  parameters: record(anything),
  contentType: aText,
  body: aText,
  isWriting: aFlag,
  result: fields({ schema: aSchema, path: aText }),
  pagination: fields({ parameter: aText, from: aText, items: aText, maxPages: aCount }),
  limits: fields({ timeout: aNumber, maxBytes: aNumber, maxRows: aNumber })
} satisfies Checks<Api>

const checkApi = fields({ ...ofParts, api: fields(ofApi) }, ["name", "api"])
const checkLocal = fields({ ...ofParts, isNameOnly: aFlag }, ["name"])
const checkClient = fields(ofParts, ["name"])

const common = (parts: Parts): Common => ({
  function: {
    name: parts.name,
    description: parts.description,
    parameters: parts.parameters ?? { type: "object", properties: {} }
  },
  ...splitContext(parts.context ?? []),
  facts: parts.facts ?? {},
  source: parts.source
})

/**
 * An entry that calls an API. What is not given is as in a file without it.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ManifestEntry } from "@wield/manifest"
 *
 * const advice = ManifestEntry.api({
 *   name: "search_advice",
 *   description: "Advice that contains a word",
 *   parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
 *   api: { path: "/advice/search/{query}", method: "GET" }
 * })
 * assert.strictEqual(advice.api.name, "default")
 * ```
 *
 * @category constructors
 */
export const api = (parts: Parts & { readonly api: Partial<Api> }): ApiEntry => {
  orThrow(checkApi(parts), "What `ManifestEntry.api` takes")
  return {
    _tag: "Api",
    ...common(parts),
    api: {
      name: "default",
      query: undefined,
      operation: undefined,
      path: undefined,
      method: undefined,
      headers: {},
      parameters: {},
      contentType: undefined,
      isWriting: false,
      result: { schema: undefined, path: undefined },
      pagination: undefined,
      limits: { timeout: undefined, maxBytes: undefined, maxRows: undefined },
      ...parts.api
    }
  }
}

/**
 * An entry whose handler is given in code.
 *
 * @category constructors
 */
export const local = (parts: Parts & { readonly isNameOnly?: boolean | undefined }): LocalEntry => {
  orThrow(checkLocal(parts), "What `ManifestEntry.local` takes")
  return { _tag: "Local", ...common(parts), isNameOnly: parts.isNameOnly ?? false }
}

/**
 * An entry that a client executes.
 *
 * @category constructors
 */
export const client = (parts: Parts): ClientEntry => {
  orThrow(checkClient(parts), "What `ManifestEntry.client` takes")
  return { _tag: "Client", ...common(parts) }
}
