/** Arguments as the full schema of their tool means them, where the request could not say it whole. */
import { restoreGeminiText } from "../dialect/geminiSubset.js"
import { restoreValue } from "../dialect/restoreValue.js"
import type { Offered } from "../WireFormat.js"

/** `name` is Wield's name of the tool. */
export type ReadArguments = (name: string, sent: unknown) => unknown

export const asSent: ReadArguments = (_, sent) => sent

/** For tools that were offered in `parameters`: numbers of an enum and values of any type come as text. */
export const restoring = (offered: Offered | undefined): ReadArguments => {
  const schemas = new Map((offered?.definitions ?? []).map(({ inputSchema, name }) => [name, inputSchema]))
  return (name, sent) => {
    const schema = schemas.get(name)
    return schema === undefined ? sent : restoreValue(schema, sent, restoreGeminiText)
  }
}
