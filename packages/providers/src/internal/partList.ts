/**
 * The parts of a turn in the making. What has no words of its own (the results
 * of a search that the provider ran) goes with a neighbour that its API takes
 * back as it stood.
 */
import type { Json, Turn } from "@wield/core"
import * as Either from "effect/Either"
import type { WireError } from "../WireError.js"

/** The parts of a list of blocks. `decode` gives `undefined` for a block without words. */
export const decodeBlocks = (
  blocks: ReadonlyArray<Json.Json>,
  decode: (block: Json.Json, index: number) => Either.Either<Turn.Part | undefined, WireError>
): Either.Either<ReadonlyArray<Turn.Part>, WireError> => {
  const list = new PartList()
  for (const [index, block] of blocks.entries()) {
    const part = decode(block, index)
    if (Either.isLeft(part)) return Either.left(part.left)
    if (part.right === undefined) list.addWordless(block)
    else list.add(part.right)
  }
  return Either.right(list.parts)
}

/** A block of a message that streamed in. */
interface Block {
  readonly json: Json.JsonObject
  /** `undefined` for a block that no part says. */
  readonly part: Turn.Part | undefined
  /** Whether the API takes the block back in a message that was broken off. */
  readonly isSendable: boolean
}

export class PartList {
  readonly parts: Array<Turn.Part> = []
  /** The JSON of the last part, where it is one that is kept. */
  #kept: Array<Json.Json> | undefined
  /** Pieces without words that no kept part has followed yet. */
  #loose: Array<Json.Json> = []

  add(part: Turn.Part): void {
    this.#kept = undefined
    const native = part._tag === "Reasoning" || part._tag === "Call" ? part.native : undefined
    if (native === undefined) this.parts.push(part)
    else {
      this.#kept = [...this.#loose, ...native.json]
      // A part of the same kind: only what is native to it changes.
      this.parts.push({ ...part, native: { ...native, json: this.#kept } } as Turn.Part)
    }
    this.#loose = []
  }

  /** A piece that no part says. */
  addWordless(json: Json.Json): void {
    if (this.#kept === undefined) this.#loose.push(json)
    else this.#kept.push(json)
  }
}

/**
 * The parts of a message that streamed in, and the content to send back. From a message that is cut short, both lack
 * the blocks that cannot be sent; shown reasoning stays in the parts. No message may end with its reasoning then.
 */
export const joinBlocks = (blocks: ReadonlyArray<Block>, isCutShort: boolean) => {
  const list = new PartList()
  const sent: Array<Block> = []
  for (const block of blocks) {
    const isSendable = !isCutShort || block.isSendable
    if (isSendable) sent.push(block)
    if (isSendable && block.part === undefined) list.addWordless(block.json)
    else if (isSendable && block.part !== undefined) list.add(block.part)
    else if (block.part?._tag === "Reasoning") list.add({ _tag: "Reasoning", text: block.part.text })
  }
  while (isCutShort && sent.at(-1)?.part?._tag === "Reasoning") sent.pop()
  return { parts: list.parts, content: sent.map(({ json }) => json) }
}
