/** What an assistant remembers, and where it comes from. */

/**
 * What a memory can be made of.
 *
 * @category models
 */
export type SourceType = "Memory" | "Goal" | "DocumentExcerpt" | "ContextMessageSet"

/**
 * What a memory can be made of, to go through.
 *
 * @category constants
 */
export const sourceTypes: ReadonlyArray<SourceType> = ["Memory", "Goal", "DocumentExcerpt", "ContextMessageSet"]

/**
 * What a memory was made of, with the text that it had then.
 *
 * @category models
 */
export interface Source {
  readonly type: SourceType
  readonly name: string
  readonly text: string
}

/**
 * A memory.
 *
 * @category models
 */
export interface Memory {
  readonly id: string
  /** How people and models name it, unique for a user. */
  readonly number: number
  readonly name: string
  readonly text: string
  /** Words it can be found by, beside those of its name and text. */
  readonly keywords: ReadonlyArray<string>
  /** From 1 to 10; 5 unless given. */
  readonly importance: number
  /** `outdated`: a newer version has it as its source; `consolidated`: one that was made of several has. */
  readonly state: "active" | "outdated" | "consolidated"
  /** Milliseconds since 1970. */
  readonly created: number
  /** Milliseconds since 1970. */
  readonly changed: number
}

/**
 * A memory as a model reads it.
 *
 * @category conversions
 */
export const toText = ({ name, text }: Pick<Memory, "name" | "text">): string => `# ${name}\n${text}`
