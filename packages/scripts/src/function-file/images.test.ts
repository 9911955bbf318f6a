import { expect, it } from "@effect/vitest"
import { Content } from "@wield/core"
import { withImages } from "./images.js"

const data = "iVBORw0KGgo="
const image = Content.image("image/png", data)

it("shows images of a result as images, after its text", () => {
  const parts = (result: Parameters<typeof withImages>[0]) => {
    const shown = withImages(result)
    return shown instanceof Content.Answer ? shown.parts : undefined
  }
  expect(parts({ text: "Two", images: [{ data, media_type: "image/png" }, `data:image/png;base64,${data}`] })).toEqual([
    Content.text("Two"),
    image,
    image
  ])
  expect(parts({ images: [{ data, media_type: "image/png" }] })).toEqual([image])
  expect(parts({ text: "None", images: [] })).toEqual([Content.text("None")])
})

it("leaves a result as it is that only looks like one with images", () => {
  for (const result of [
    { images: [{ data: "not base64", media_type: "image/png" }] },
    { images: [{ data, media_type: "text/html" }] },
    { images: ["https://example.com/a.png"] },
    { images: [{ data, media_type: "image/png" }], count: 1 },
    { images: 3 },
    "images",
    null
  ]) {
    expect(withImages(result)).toEqual(result)
  }
})
