import * as ApiError from "@wield/providers/ApiError"
import { ScriptedModel } from "@wield/testing"
import { expect, it } from "vitest"
import { type Event, tool, wield } from "wield"

it("of several models, one that is down gives way to the next, which is told", async () => {
  await using shop = await wield({ tools: [tool("look", { execute: () => "found" })] })
  const down = ScriptedModel.fail(new ApiError.ProviderUnavailable({ format: "scripted", detail: "overloaded" }))
  const agent = shop.agent({
    model: ScriptedModel.make([down], { id: "large" }),
    fallbacks: [ScriptedModel.make([ScriptedModel.text("Hello.")], { id: "small" })]
  })
  const events: Array<Event<unknown>> = []
  const result = await agent.ask("Hello?", { onEvent: (event) => void events.push(event) })
  expect(result).toMatchObject({ _tag: "Finished", output: "Hello." })
  expect(events).toContainEqual(expect.objectContaining({ _tag: "ModelGaveWay", from: "large", to: "small" }))
})
