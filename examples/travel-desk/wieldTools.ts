/** Form 2: Wield's tools in the loop of the AI SDK. */
import * as AiSdk from "@wield/interop/ai-sdk"
import type { LanguageModel } from "ai"
import type { Desk } from "./desk.js"
import { loopOf } from "./loop.js"
import { openTools } from "./tools.js"
import type { Travel } from "./travel.js"

export const openDesk = async (
  travel: Travel,
  model: LanguageModel,
  traveller: string,
  conversation: string = crypto.randomUUID()
): Promise<Desk> => {
  const desk = await openTools(travel)
  // All runs of one id are one run: what has run in it does not run again.
  return loopOf(model, () => desk.run({ id: conversation, context: { traveller } }).to(AiSdk.fromRun))
}
