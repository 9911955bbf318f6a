import { expect, it } from "@effect/vitest"
import { toolNameOf } from "./languages.js"

it.each([
  ["get_weather", "get_weather"],
  ["Get-Current.Weather", "get_current_weather"],
  ["a--b  c", "a_b_c"],
  ["_private_", "private"],
  ["Straße 7", "straße_7"],
  ["---", ""]
])("names the tool of %j as Loki does", (stem, name) => {
  expect(toolNameOf(stem)).toBe(name)
})
