import { describe, expect, it } from "@effect/vitest"
import { SchemaAST } from "effect"
import { failuresOf } from "../toolkits/failures.js"
import { everyTool } from "../toolkits/toolkits.js"

const failures = everyTool.flatMap((tool) => failuresOf(tool).map((failure) => ({ tool: tool.name, ...failure })))

describe("the failures of all tools", () => {
  it("are found", () => {
    const names = new Set(failures.map(({ name }) => name))
    expect([...names]).toEqual(expect.arrayContaining(["GoalNameTaken", "FileRefused", "PastEnd", "OutsideRoot"]))
    expect(failures.filter(({ tool }) => tool === "search_documents")).toEqual([])
  })

  it("tell the model in a field of text what to do next", () => {
    const silent = failures.filter(
      ({ fields }) =>
        !fields.some(
          ({ isOptional, name, type }) => name === "advice" && !isOptional && SchemaAST.isStringKeyword(type)
        )
    )
    expect(silent.map(({ name, tool }) => `${tool}: ${name}`)).toEqual([])
  })
})
