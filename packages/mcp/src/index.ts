/** The Model Context Protocol: servers as sources of tools, toolsets as servers. */

export * as McpError from "./McpError.js"
