import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { corpusFolder, hasCorpus } from "../folder.js"
import { compare } from "./graphql.js"

it.skipIf(!hasCorpus("acorn"))(
  "makes the tools of a GraphQL schema that Acorn's converter makes (skipped where the corpus is absent)",
  async () => {
    const { failures, passed } = await compare(join(corpusFolder, "acorn"))
    expect(failures).toEqual([])
    expect(passed).toBe(12)
  }
)
