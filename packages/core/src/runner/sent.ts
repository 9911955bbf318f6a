/** A call as it was sent, by which it differs from others. */
import * as Digest from "../Digest.js"
import { canonical, isObject } from "../Json.js"
import { jsonValue, NotJson } from "../internal/json.js"
import { repair } from "../internal/repair.js"
import type * as Journal from "../Journal.js"
import type { ToolCall } from "../ToolCall.js"
import { type HiddenCodec, stripHidden } from "../toolset/hidden.js"
import type { Entry } from "../toolset/model.js"

/**
 * What identifies a call: its run, its id, and a digest of its tool and visible
 * arguments as they were sent. The digest is worked out when it is first read: in
 * memory, that is when an id comes again. A journal in memory keeps it longer than
 * its call, so it holds no more than it needs.
 */
export class Sent implements Journal.Key {
  /** The tool's name. */
  readonly name: string
  private readonly hidden: HiddenCodec | undefined
  /** The arguments, until they are read. */
  private unread: unknown
  private text: string | undefined
  private hash: string | undefined

  constructor(
    /** Empty where the run itself is what remembers. */
    readonly run: string,
    /** The call's id, and its turn where there is one. */
    readonly call: string,
    sent: ToolCall,
    entry: Entry
  ) {
    this.name = entry.definition.name
    this.hidden = entry.hidden
    this.unread = sent.arguments
    this.text = undefined
    this.hash = undefined
  }

  /** To be kept beyond the call: text stays as it is; other arguments are the caller's, who may change them. */
  keep(visible: unknown): this {
    if (typeof this.unread !== "string") this.read(visible)
    return this
  }

  /** Spares reading the arguments again, where they are at hand as they were sent. */
  read(visible: unknown): void {
    if (this.text !== undefined) return
    this.text = canonical(visible)
    this.unread = undefined
  }

  /**
   * The visible arguments as JSON text with sorted keys. A handler may change
   * the values that it is given, so they are read from what was sent.
   */
  get argumentText(): string {
    if (this.text === undefined) this.read(visibleOf(this.unread, this.hidden))
    return this.text ?? ""
  }

  /** Characters that it keeps. */
  get size(): number {
    const kept = this.text ?? this.unread
    return typeof kept === "string" ? kept.length : 0
  }

  /** SHA-256 over tool and visible arguments. */
  get digest(): string {
    return (this.hash ??= Digest.ofText(`[${JSON.stringify(this.name)},${this.argumentText}]`))
  }
}

/** `undefined` where a text is not JSON, and cannot be repaired. */
export const visibleOf = (sent: unknown, hidden: HiddenCodec | undefined): unknown => {
  const value = typeof sent === "string" ? readText(sent) : (sent ?? {})
  return isObject(value) && hidden !== undefined ? stripHidden(value, hidden).visible : value
}

const readText = (text: string): unknown => {
  const value = jsonValue(text)
  return value instanceof NotJson ? repair(text)?.value : value
}
