import { createHash } from "node:crypto"
import type { ToolDefinition } from "@wield/core"
import { canonical } from "./canonical.js"

/** SHA-256 over what a model is shown of a tool. */
export const fingerprint = ({ description, facts, inputSchema, name, outputSchema }: ToolDefinition.ToolDefinition) =>
  createHash("sha256").update(canonical({ name, description, inputSchema, outputSchema, facts })).digest("hex")
