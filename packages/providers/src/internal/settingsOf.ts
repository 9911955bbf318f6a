/** The settings of a request, where they are this format's; those of another are lost. */
import type { Json, Loss } from "@wield/core"
import type { Request } from "../WireFormat.js"

export const settingsOf = (request: Request, format: string, losses: Array<Loss.Loss>): Json.JsonObject => {
  const { settings } = request
  if (settings === undefined) return {}
  if (settings.format === format) return settings.json
  for (const key of Object.keys(settings.json)) {
    losses.push({
      subject: "settings",
      path: [key],
      keyword: key,
      reason: `It is a setting of ${settings.format} and is not sent: other APIs spell and mean it differently.`
    })
  }
  return {}
}
