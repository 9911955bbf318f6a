/** Ways to write a difference as a change of the parts of a body. */
import { Json } from "@wield/core"
import type { Difference } from "../Difference.js"

type Item = Json.JsonObject

const isObject = (json: Json.Json | undefined): json is Item => Json.isObject(json)

/** Each object of a list at a key of the body is replaced by what `change` makes of it: one, several or none. */
export const eachOf =
  (key: string, change: (item: Item, index: number) => ReadonlyArray<Json.Json>) =>
  (body: Item): Item => {
    const list: Json.Json | undefined = body[key]
    if (!isList(list)) return body
    return { ...body, [key]: list.flatMap((item, index) => (isObject(item) ? change(item, index) : [item])) }
  }

/** The object without these keys. */
export const without = (item: Item, ...keys: ReadonlyArray<string>): Item =>
  Object.fromEntries(Object.entries(item).filter(([key]) => !keys.includes(key)))

export const isList = (json: Json.Json | undefined): json is ReadonlyArray<Json.Json> => Array.isArray(json)

/** A JSON Schema with each list of required keys in one order, and without defaults, which a description may state. */
export const plainSchema = (schema: Item): Item => {
  const entries = Object.entries(schema).flatMap(([key, value]): ReadonlyArray<[string, Json.Json]> => {
    if (key === "default" || (key === "description" && String(value).startsWith("default: "))) return []
    if (key === "required" && isList(value)) return [[key, value.toSorted()]]
    if (isList(value)) return [[key, value.map((item) => (isObject(item) ? plainSchema(item) : item))]]
    return [[key, isObject(value) ? plainSchema(value) : value]]
  })
  return Object.fromEntries(entries)
}

/** Of images in the contents of a list at this key. */
export const detailOfImages = (key: string): Difference => ({
  name: "detail of images",
  why: "how closely an image is looked at has no words; it is kept verbatim only",
  apply: eachOf(key, (message) => [
    eachOf("content", (part) => {
      const image = part["image_url"]
      return [without(isObject(image) ? { ...part, image_url: without(image, "detail") } : part, "detail")]
    })(message)
  ])
})

export { isObject }
