/**
 * A text as JSON or YAML: by its file's name, or else by how it begins.
 */
import { readJson } from "./readJson.js"
import { readYaml } from "./readYaml.js"
import type { SourceText } from "./SourceText.js"

export const read = (text: string, file: string | undefined): SourceText => {
  // A byte order mark is no part of the text.
  const content = text.startsWith("\uFEFF") ? text.slice(1) : text
  return isYaml(content, file) ? readYaml(content, file) : readJson(content, file)
}

const isYaml = (text: string, file: string | undefined): boolean => {
  const extension = /\.(?<name>[a-z]+)$/i.exec(file ?? "")?.groups?.["name"]?.toLowerCase()
  if (extension === "yaml" || extension === "yml") return true
  if (extension === "json" || extension === "jsonc") return false
  return !/^\s*(?:\/[/*]|[[{]|$)/.test(text)
}
