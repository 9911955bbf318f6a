/**
 * The server is not the one that a toolkit was written for.
 *
 * @category errors
 */
export class Mismatched extends Schema.TaggedError<Mismatched>("@wield/mcp/Mismatched")("Mismatched", {
  server: Schema.String,
  problems: Schema.Array(
    Schema.Struct({
      tool: Schema.String,
      /** Where: `parameters` or `result`, and a JSON Pointer into it. Empty for the whole tool. */
      path: Schema.String,
      problem: Schema.String
    })
  )
}) {
  override get message(): string {
    const lines = this.problems.map(({ path, problem, tool }) => `${tool}${path === "" ? "" : ` ${path}`}: ${problem}`)
    return `The MCP server ${this.server} does not fit the toolkit:\n${lines.join("\n")}`
  }
}

/**
 * A tool that was called by `McpClient.typed` answered with a failure.
 *
 * @category errors
 */
export class ToolFailed extends Schema.TaggedError<ToolFailed>("@wield/mcp/ToolFailed")("ToolFailed", {
  server: Schema.String,
  tool: Schema.String,
  /** Text, or JSON where the server sent any. */
  failure: Schema.Unknown
}) {
  override get message(): string {
    const reason = typeof this.failure === "string" ? this.failure : JSON.stringify(this.failure)
    return `The tool ${this.tool} of the MCP server ${this.server} failed: ${reason}`
  }
}

/**
 * What can go wrong between this program and an MCP server. No error holds a
 * secret; each names the server by its configured name.
 */
import * as Schema from "effect/Schema"

/**
 * The server could not be started or reached, or it did not finish the
 * handshake.
 *
 * @category errors
 */
export class ConnectFailed extends Schema.TaggedError<ConnectFailed>("@wield/mcp/ConnectFailed")("ConnectFailed", {
  server: Schema.String,
  reason: Schema.String,
  /** The last text that the server wrote to its standard error. */
  standardError: Schema.optional(Schema.String)
}) {
  override get message(): string {
    const tail = this.standardError?.trim()
    return `No connection to the MCP server ${this.server}: ${this.reason}${tail ? `\nIt wrote:\n${tail}` : ""}`
  }
}

/**
 * The connection ended while a request was under way. `wasSent` says whether the
 * server may have acted on it.
 *
 * @category errors
 */
export class Disconnected extends Schema.TaggedError<Disconnected>("@wield/mcp/Disconnected")("Disconnected", {
  server: Schema.String,
  wasSent: Schema.Boolean,
  reason: Schema.String
}) {
  override get message(): string {
    return `The connection to the MCP server ${this.server} ended ${
      this.wasSent ? "after the request was sent" : "before the request was sent"
    }: ${this.reason}`
  }
}

/**
 * The server sent what the protocol does not allow.
 *
 * @category errors
 */
export class ProtocolViolation extends Schema.TaggedError<ProtocolViolation>("@wield/mcp/ProtocolViolation")(
  "ProtocolViolation",
  {
    server: Schema.String,
    problem: Schema.String,
    /** What breaks it is the answer to what was asked, which may have been done. */
    hasAnswered: Schema.optional(Schema.Literal(true))
  }
) {
  override get message(): string {
    return `The MCP server ${this.server} broke the protocol: ${this.problem}`
  }
}

/**
 * The server answered a request with a JSON-RPC error.
 *
 * @category errors
 */
export class RemoteError extends Schema.TaggedError<RemoteError>("@wield/mcp/RemoteError")("RemoteError", {
  server: Schema.String,
  /** The JSON-RPC code, such as -32602 for invalid parameters. */
  code: Schema.Number,
  problem: Schema.String,
  data: Schema.optional(Schema.Unknown)
}) {
  override get message(): string {
    return `The MCP server ${this.server} answered with error ${this.code}: ${this.problem}`
  }
}

/**
 * The server did not answer in time.
 *
 * @category errors
 */
export class TimedOut extends Schema.TaggedError<TimedOut>("@wield/mcp/TimedOut")("TimedOut", {
  server: Schema.String,
  method: Schema.String,
  /** The limit, in milliseconds. */
  limit: Schema.Number
}) {
  override get message(): string {
    return `The MCP server ${this.server} did not answer ${this.method} within ${this.limit} ms`
  }
}

/**
 * The server sent more than it may: a message, a list or its pages are too long.
 *
 * @category errors
 */
export class LimitExceeded extends Schema.TaggedError<LimitExceeded>("@wield/mcp/LimitExceeded")("LimitExceeded", {
  server: Schema.String,
  /** Which limit, such as `10000 items`. */
  limit: Schema.String
}) {
  override get message(): string {
    return `The MCP server ${this.server} exceeded the limit of ${this.limit}`
  }
}

/**
 * A person has to grant access first. Send them to `url`, then pass the address
 * that they come back to to `complete` of the credentials.
 *
 * @category errors
 */
export class AuthorizationRequired extends Schema.TaggedError<AuthorizationRequired>(
  "@wield/mcp/AuthorizationRequired"
)("AuthorizationRequired", {
  server: Schema.String,
  /** Where the person grants access; absent where no credentials are configured. */
  url: Schema.optional(Schema.String),
  reason: Schema.String
}) {
  override get message(): string {
    const next = this.url === undefined ? "" : `. Grant access at ${this.url}`
    return `The MCP server ${this.server} requires authorization: ${this.reason}${next}`
  }
}

/**
 * The server's tool is not what was pinned, or is not known at all.
 *
 * @category errors
 */
export class Drifted extends Schema.TaggedError<Drifted>("@wield/mcp/Drifted")("Drifted", {
  server: Schema.String,
  /** Names of the tools that differ from their pins. */
  tools: Schema.Array(Schema.String),
  problem: Schema.String
}) {
  override get message(): string {
    return `The MCP server ${this.server} has changed: ${this.problem}`
  }
}

/**
 * The server or the revision that both speak lacks this capability.
 *
 * @category errors
 */
export class Unsupported extends Schema.TaggedError<Unsupported>("@wield/mcp/Unsupported")("Unsupported", {
  server: Schema.String,
  capability: Schema.String
}) {
  override get message(): string {
    return `The MCP server ${this.server} does not support ${this.capability}`
  }
}

/**
 * What can go wrong between this program and an MCP server.
 *
 * @category models
 */
export type McpError =
  | ConnectFailed
  | Disconnected
  | ProtocolViolation
  | RemoteError
  | TimedOut
  | LimitExceeded
  | AuthorizationRequired
  | Drifted
  | Unsupported
