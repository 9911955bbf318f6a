/**
 * A text of JSON in which one key of the root object has another value, or is
 * gone; whatever else the text has stays as it is, spaces and order included.
 */
import type { Json } from "@wield/core"
import * as Jsonc from "jsonc-parser"

export const edited = (text: string, key: string, value: Json.JsonObject | undefined): string => {
  const edits = Jsonc.modify(text, [key], value, {
    formattingOptions: {
      insertSpaces: !/^\t/m.test(text),
      tabSize: /^( +)\S/m.exec(text)?.[1]?.length ?? 2,
      eol: text.includes("\r\n") ? "\r\n" : "\n"
    }
  })
  return Jsonc.applyEdits(text, edits)
}
