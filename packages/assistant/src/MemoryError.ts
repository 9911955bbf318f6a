/** How memories can fail. A program reads the messages; a model reads the fields. */
import * as Schema from "effect/Schema"
import { adviceField, tellKnown } from "./store/advice.js"

/**
 * There is no memory of this name or number.
 *
 * @category errors
 */
export class MemoryNotFound extends Schema.TaggedError<MemoryNotFound>("@wield/assistant/MemoryNotFound")(
  "MemoryNotFound",
  {
    /** The name, or the number. */
    memory: Schema.Union(Schema.String, Schema.Number),
    /** Names of memories that it may have been meant for, at most 10. */
    known: Schema.Array(Schema.String),
    advice: adviceField(
      "Use one of the names in known, exactly as it stands there, or the number of that memory. If none is meant, nothing is remembered of it: tell the user, or create a memory"
    )
  }
) {
  override get message(): string {
    return `There is no memory ${JSON.stringify(this.memory)}. ${tellKnown("memories", this.known)}. ${this.advice}`
  }
}

/**
 * No memory was made of this source.
 *
 * @category errors
 */
export class SourceNotFound extends Schema.TaggedError<SourceNotFound>("@wield/assistant/SourceNotFound")(
  "SourceNotFound",
  {
    type: Schema.String,
    name: Schema.String,
    /** The types that there are. */
    types: Schema.Array(Schema.String),
    /** Names of sources of this type, at most 10. */
    known: Schema.Array(Schema.String),
    advice: adviceField("Use one of the types, and a name as get_source_list_for_memory lists it for a memory")
  }
) {
  override get message(): string {
    return `There is no source ${JSON.stringify(this.name)} of the type ${JSON.stringify(this.type)}. Types are ${this.types.join(", ")}. ${this.advice}`
  }
}

/**
 * A memory has to have a name and a text.
 *
 * @category errors
 */
export class InvalidMemory extends Schema.TaggedError<InvalidMemory>("@wield/assistant/InvalidMemory")(
  "InvalidMemory",
  {
    /** What a program has named it in `Memories`, or a model in the parameters of its tool. */
    field: Schema.String,
    expected: Schema.String,
    advice: adviceField("Nothing was written. Call again with what is expected in this field")
  }
) {
  override get message(): string {
    return `${this.field} must be ${this.expected}. ${this.advice}`
  }
}
