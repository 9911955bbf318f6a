/**
 * Tool names as a provider's API accepts them, and back: for a client that
 * sends tools by other means than a wire format of this package.
 */

export {
  /**
   * Names both ways.
   *
   * @category models
   */
  type NameMap,
  /**
   * Which names an API accepts.
   *
   * @category models
   */
  type NameRule,
  /**
   * The names of a request's tools as an API with this rule accepts them. Legal
   * names stay as they are; any other becomes a legal one that carries a hash of
   * it, so that no two tools of a request share a name and equal input gives
   * equal names.
   *
   * @example
   * ```ts
   * import * as assert from "node:assert"
   * import { ToolDefinition } from "@wield/core"
   * import { NameMap } from "@wield/providers"
   *
   * const names = NameMap.make([ToolDefinition.make({ name: "orders/list" })], {
   *   pattern: /^[a-zA-Z0-9_-]+$/,
   *   maxLength: 64
   * })
   * const native = names.toNative("orders/list")
   * assert.match(native, /^orders_list_[0-9a-f]{8}$/)
   * assert.strictEqual(names.fromNative(native), "orders/list")
   * ```
   *
   * @category constructors
   */
  nameMap as make
} from "./internal/nameMap.js"
