/** How work with toolset files, active sets and exports can fail. */
import * as Schema from "effect/Schema"
import { isError, report, ProblemSchema } from "@wield/core/Problem"

const listed = (names: ReadonlyArray<string>): string => names.map((name) => JSON.stringify(name)).join(", ")

/**
 * A toolset file is no JSON object of toolsets. What was read before stays in
 * use.
 *
 * @category errors
 */
export class InvalidToolsetFile extends Schema.TaggedError<InvalidToolsetFile>(
  "@wield/toolset-manager/InvalidToolsetFile"
)("InvalidToolsetFile", { file: Schema.String, problems: Schema.Array(ProblemSchema) }) {
  override get message(): string {
    return this.problems.filter(isError).map(report).join("\n")
  }
}

/**
 * A file cannot be read or written.
 *
 * @category errors
 */
export class ToolsetFileFailed extends Schema.TaggedError<ToolsetFileFailed>(
  "@wield/toolset-manager/ToolsetFileFailed"
)("ToolsetFileFailed", { file: Schema.String, action: Schema.Literal("read", "write"), detail: Schema.String }) {
  override get message(): string {
    const doing = { read: "read", write: "written" }[this.action]
    return `${this.file} cannot be ${doing}: ${this.detail}`
  }
}

/**
 * No toolset, module or built-in set has this name.
 *
 * @category errors
 */
export class UnknownToolset extends Schema.TaggedError<UnknownToolset>("@wield/toolset-manager/UnknownToolset")(
  "UnknownToolset",
  {
    name: Schema.String,
    /** Names that may have been meant, best first. */
    nearest: Schema.Array(Schema.String)
  }
) {
  override get message(): string {
    const meant = this.nearest.length === 0 ? "" : `; the nearest are ${listed(this.nearest)}`
    return `There is no toolset ${JSON.stringify(this.name)}${meant}`
  }
}

/**
 * A set of only functions that no tool has: a misspelling, most likely.
 *
 * @category errors
 */
export class UnknownFunctions extends Schema.TaggedError<UnknownFunctions>("@wield/toolset-manager/UnknownFunctions")(
  "UnknownFunctions",
  {
    unknown: Schema.Array(Schema.Struct({ name: Schema.String, nearest: Schema.Array(Schema.String) }))
  }
) {
  override get message(): string {
    const each = this.unknown.map(({ name, nearest }) =>
      nearest.length === 0 ? JSON.stringify(name) : `${JSON.stringify(name)} (the nearest are ${listed(nearest)})`
    )
    return `No loaded tool has the ${each.length === 1 ? "name" : "names"} ${each.join(", ")}`
  }
}

/**
 * A toolset cannot be saved under a name that means something else: `all`,
 * `none`, `custom`, that of a module, an empty one or one that begins with `_`.
 *
 * @category errors
 */
export class ReservedName extends Schema.TaggedError<ReservedName>("@wield/toolset-manager/ReservedName")(
  "ReservedName",
  {
    name: Schema.String,
    reason: Schema.Literal("built-in", "module", "ignored", "empty")
  }
) {
  override get message(): string {
    switch (this.reason) {
      case "built-in":
        return this.name === "custom"
          ? `"custom" is what functions are called that were activated by their names; save the toolset under another name`
          : `${JSON.stringify(this.name)} is built in; save the toolset under another name`
      case "module":
        return `${JSON.stringify(this.name)} is the name of a module, which would be taken instead of the toolset; save it under another name`
      case "ignored":
        return `${JSON.stringify(this.name)} begins with _, and such keys of a toolset file are ignored; save the toolset under another name`
      case "empty":
        return "A toolset needs a name that is not only space"
    }
  }
}

/**
 * A toolset without functions cannot be saved; `none` is such a set.
 *
 * @category errors
 */
export class EmptyToolset extends Schema.TaggedError<EmptyToolset>("@wield/toolset-manager/EmptyToolset")(
  "EmptyToolset",
  { name: Schema.String }
) {
  override get message(): string {
    return `The toolset ${JSON.stringify(this.name)} has no functions; give it some, or activate "none" to offer nothing`
  }
}

/**
 * A toolset of this name is there already, in the user's file or the core file.
 * `save` and `import` replace it with `isReplacing: true`.
 *
 * @category errors
 */
export class ToolsetExists extends Schema.TaggedError<ToolsetExists>("@wield/toolset-manager/ToolsetExists")(
  "ToolsetExists",
  { name: Schema.String }
) {
  override get message(): string {
    return `There is a toolset ${JSON.stringify(this.name)} already; take another name, or replace it: save or import with isReplacing: true`
  }
}

/**
 * The set is not in the user's file: it is built in, a module, or of the core
 * file, and cannot be deleted or renamed.
 *
 * @category errors
 */
export class NotUserToolset extends Schema.TaggedError<NotUserToolset>("@wield/toolset-manager/NotUserToolset")(
  "NotUserToolset",
  { name: Schema.String, type: Schema.Literal("built-in", "module", "core") }
) {
  override get message(): string {
    const what = { "built-in": "built in", module: "a module", core: "of the core file" }[this.type]
    return `The toolset ${JSON.stringify(this.name)} is ${what}; only toolsets of the user's file can be changed`
  }
}

/**
 * Another process, or a person with an editor, has changed the
 * toolset in the file since it was read here. The change has been read by now:
 * look at it, then save again to replace it.
 *
 * @category errors
 */
export class ToolsetChanged extends Schema.TaggedError<ToolsetChanged>("@wield/toolset-manager/ToolsetChanged")(
  "ToolsetChanged",
  {
    name: Schema.String,
    /** What the file has now; absent where the toolset was removed from it. */
    functions: Schema.UndefinedOr(Schema.Array(Schema.String))
  }
) {
  override get message(): string {
    return `The toolset ${JSON.stringify(this.name)} has meanwhile been ${
      this.functions === undefined ? "removed" : `changed to ${listed(this.functions)}`
    } by another program or person; look at it, and save again to replace it`
  }
}

/**
 * No user file was named when the manager was made, so there is nowhere to save
 * to.
 *
 * @category errors
 */
export class NowhereToSave extends Schema.TaggedError<NowhereToSave>("@wield/toolset-manager/NowhereToSave")(
  "NowhereToSave",
  { name: Schema.String }
) {
  override get message(): string {
    return `The toolset ${JSON.stringify(this.name)} cannot be saved: the manager was made without a user file`
  }
}

/**
 * What was to be imported is no exported toolset.
 *
 * @category errors
 */
export class InvalidExport extends Schema.TaggedError<InvalidExport>("@wield/toolset-manager/InvalidExport")(
  "InvalidExport",
  { problems: Schema.Array(ProblemSchema) }
) {
  override get message(): string {
    return this.problems.map(report).join("\n")
  }
}

/**
 * The active set of a conversation cannot be read or kept.
 *
 * @category errors
 */
export class ActiveToolsetFailed extends Schema.TaggedError<ActiveToolsetFailed>(
  "@wield/toolset-manager/ActiveToolsetFailed"
)("ActiveToolsetFailed", { conversation: Schema.UndefinedOr(Schema.String), detail: Schema.String }) {
  override get message(): string {
    const whose = this.conversation === undefined ? "Active toolsets" : `The active toolset of ${this.conversation}`
    return `${whose} cannot be read or kept: ${this.detail}`
  }
}
