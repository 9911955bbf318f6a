/** The media type of an image for which an API states none, by its first bytes. */

const beginnings: ReadonlyArray<readonly [base64: string, mediaType: string]> = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
  ["Qk", "image/bmp"]
]

export const imageType = (base64: string): string =>
  beginnings.find(([beginning]) => base64.startsWith(beginning))?.[1] ?? "image/*"
