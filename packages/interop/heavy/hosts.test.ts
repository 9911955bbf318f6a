import { describe, expect, it } from "vitest"
import { cellOf, documentedCell, scenarios } from "../test/scenarios/table.js"
import { anthropic } from "./anthropic.js"
import { claudeAgent } from "./claudeAgent.js"
import { genkit } from "./genkit.js"
import { google } from "./google.js"
import { langchainAgent } from "./langchainAgent.js"
import { mastra } from "./mastra.js"
import { openai } from "./openai.js"
import { openaiAgents } from "./openaiAgents.js"

const drivers = [openaiAgents, mastra, langchainAgent, anthropic, openai, google, genkit, claudeAgent]

describe.each(drivers)("$sdk", (driver) => {
  it.each(scenarios)("$title: as the guide says", async (scenario) => {
    expect(await cellOf(driver, scenario)).toBe(documentedCell(driver, scenario))
  })
})
