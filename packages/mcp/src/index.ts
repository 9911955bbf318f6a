/** The Model Context Protocol: servers as sources of tools, toolsets as servers. */

export * as Authorization from "./Authorization.js"
export * as Credentials from "./Credentials.js"
export * as McpCatalog from "./McpCatalog.js"
export * as McpClient from "./McpClient.js"
export * as McpConfig from "./McpConfig.js"
export * as McpError from "./McpError.js"
export * as McpRequest from "./McpRequest.js"
export * as McpServer from "./McpServer.js"
export * as McpTest from "./McpTest.js"
export * as Pins from "./Pins.js"
