/** Every wire format that the providers package exports. */
import * as providers from "@wield/providers"
import type { WireFormat } from "@wield/providers"

const isFormat = (value: unknown): value is WireFormat.WireFormat =>
  typeof value === "object" && value !== null && "encodeTools" in value && "name" in value

export const formats = Object.values(providers).flatMap((module: object) =>
  "format" in module && isFormat(module.format) ? [module.format] : []
)
