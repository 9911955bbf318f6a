/** What the linter gets besides the manifest. */
import type { WireFormat } from "@wield/providers"
import type { Executor } from "../Executor.js"
import type { ExecutorFactory } from "../ExecutorFactory.js"
import type { Texts } from "../load/load.js"

export interface Options {
  readonly file?: string | undefined
  readonly files?: Texts | undefined
  readonly executors?: { readonly [name: string]: Executor } | undefined
  readonly factories?: ReadonlyArray<ExecutorFactory<unknown>> | undefined
  readonly handlers?: ReadonlyArray<string> | undefined
  readonly schemas?: { readonly [api: string]: string | { readonly [key: string]: unknown } } | undefined
  readonly dialects?: ReadonlyArray<WireFormat.WireFormat> | undefined
}
