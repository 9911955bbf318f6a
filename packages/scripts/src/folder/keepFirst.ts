/** Neither of two tools of one name is dropped in silence: the first file's stays, the other's is an error. */
import type { Problem } from "@wield/core/Problem"
import { nameOf } from "./languages.js"
import { fileError } from "./problem.js"

/** `of` says which tools a file has, `less` leaves it these, `named` calls a tool by its name in a message. */
export const keepFirst = <
  File extends { readonly file: string },
  Tool extends { readonly name: string; readonly place: Problem["place"] }
>(
  files: ReadonlyArray<File>,
  kind: {
    readonly of: (file: File) => ReadonlyArray<Tool>
    readonly less: (file: File, tools: ReadonlyArray<Tool>) => File
    readonly named: (file: File, tool: Tool) => string
    readonly subject: (tool: Tool) => string
  }
): { readonly files: ReadonlyArray<File>; readonly collisions: ReadonlyArray<Problem> } => {
  const first = new Map<string, File>()
  const collisions: Array<Problem> = []
  const kept = files.map((file) => {
    const tools = kind.of(file)
    const own = tools.filter((tool) => {
      const other = first.get(tool.name)
      if (other === undefined) first.set(tool.name, file)
      else {
        const message = `${kind.named(file, tool)} has the name of one of ${nameOf(other.file)}, which is kept; rename one of them`
        const at = { place: tool.place, subject: kind.subject(tool) }
        collisions.push(fileError(file.file, "tool-name-collision", message, at))
      }
      return other === undefined
    })
    return own.length === tools.length ? file : kind.less(file, own)
  })
  return { files: kept, collisions }
}
