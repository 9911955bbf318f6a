/** Results with images, `{"text": …, "images": [{"data": …, "media_type": …}]}`: the model sees images, not base64. */
import * as Content from "@wield/core/Content"
import * as Json from "@wield/core/Json"

export const withImages = (result: Json.Json): Json.Json | Content.Answer => {
  if (!Json.isObject(result)) return result
  const { images, text = null, ...others } = result
  if (!Json.isArray(images) || Object.keys(others).length > 0) return result
  const shown = images.map(imageOf)
  if (!shown.every((image) => image !== undefined)) return result
  const words = text === null || text === "" ? [] : [typeof text === "string" ? Content.text(text) : Content.json(text)]
  return new Content.Answer({ parts: [...words, ...shown] })
}

const imageOf = (image: Json.Json): Content.Image | undefined => {
  const { data, media_type: mediaType } = Json.isObject(image) ? image : { data: image, media_type: undefined }
  if (typeof data !== "string") return undefined
  const url = /^data:(image\/[\w.+-]+);base64,/.exec(data)
  const type = url?.[1] ?? mediaType
  const base64 = url === null ? data : data.slice(url[0].length)
  return typeof type === "string" && type.startsWith("image/") && isBase64(base64)
    ? Content.image(type, base64)
    : undefined
}

const isBase64 = (text: string): boolean => text !== "" && /^[A-Za-z0-9+/]+={0,2}$/.test(text)
