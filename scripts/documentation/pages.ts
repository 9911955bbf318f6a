/** Where do readers find code? In the pages of the documentation, and in the comments of public modules. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "./extract.js"

const namesIn = (folder: string): ReadonlyArray<string> =>
  existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }).sort() : []

const isPublicModule = (name: string): boolean => /^\w+\.ts$/.test(name)

export const findPages = (root: string): ReadonlyArray<Page> => {
  const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}`)
  const texts = [
    "README.md",
    "skills/wield/SKILL.md",
    ...namesIn(join(root, "docs"))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `docs/${name}`),
    ...packages.map((folder) => `${folder}/README.md`)
  ].filter((path) => existsSync(join(root, path)))
  const sources = packages.flatMap((folder) =>
    namesIn(join(root, folder, "src"))
      .filter(isPublicModule)
      .map((name) => `${folder}/src/${name}`)
  )
  const read = (path: string): string => readFileSync(join(root, path), "utf8")
  return [
    ...texts.map((path) => ({ path, text: read(path) })),
    ...sources.map((path) => ({ path, text: textOfComments(read(path)) }))
  ]
}

/** The programs of `examples/`: files, and folders with a `main.ts`. Recipes are files of a folder. */
export const programsOf = (root: string): ReadonlyArray<string> =>
  readdirSync(join(root, "examples"), { withFileTypes: true })
    .flatMap(({ name }) =>
      name === "recipes"
        ? readdirSync(join(root, "examples", name)).map((recipe) => `examples/${name}/${recipe}`)
        : name.endsWith(".ts")
          ? [`examples/${name}`]
          : [`examples/${name}/main.ts`]
    )
    .filter((path) => path.endsWith(".ts") && existsSync(join(root, path)))
    .sort()

/** What the documentation comments say, each line where it stands in the source, and nothing of the code. */
export const textOfComments = (source: string): string => {
  let isComment = false
  return source
    .split("\n")
    .map((line) => {
      const isFirst = /^\s*\/\*\*/.test(line)
      const isLast = line.includes("*/")
      const isInside = isComment && !isFirst && !isLast
      isComment = (isComment || isFirst) && !isLast
      return isInside ? line.replace(/^\s*\* ?/, "") : ""
    })
    .join("\n")
}
