/**
 * The file in what a model has answered: the code block, where there is one, and
 * the name that it gave it.
 */
export interface Answer {
  /** Without folder and extension. */
  readonly name: string | undefined
  readonly text: string
}

export const readAnswer = (answer: string): Answer => {
  // What a model has thought before it answers is no part of the answer.
  const lines = answer.replace(/^\s*<think(?:ing)?>[^]*?<\/think(?:ing)?>/i, "").split(/\r\n|\r|\n/)
  const blocks = blocksOf(lines)
  // Where there are several, the longest is the file; the others show how it is used.
  const [block] = blocks.toSorted((left, right) => right.to - right.from - (left.to - left.from))
  if (block === undefined) return { name: undefined, text: answer }
  const outside = lines.filter((_, index) => blocks.every(({ from, to }) => index < from || index >= to))
  // Some models write the name into the file, and not always as a comment.
  const first = lines[block.from] ?? ""
  const from = /^File:/i.test(first) ? block.from + 1 : block.from
  const named = [...outside, first].flatMap((line) => nameIn(line) ?? [])
  return { name: named[0], text: `${lines.slice(from, block.to).join("\n")}\n` }
}

/** `File: folder/name.py`, with whatever Markdown stands around it; a line that is a file's name alone. */
const nameIn = (line: string): string | undefined => {
  const found =
    /^\W*File(?:name)?\W+(.*)$/i.exec(line)?.[1] ?? /^\W*([\w./-]+\.(?:py|sh|bash|[mc]?[jt]s))\W*$/.exec(line)?.[1]
  const name = found?.replace(/\W+$/, "").split(/[/\\]/).at(-1)
  return name === undefined ? undefined : /^\.*[^.]*/.exec(name)?.[0].trim()
}

interface Block {
  readonly from: number
  readonly to: number
}

const blocksOf = (lines: ReadonlyArray<string>): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  let open: { readonly fence: string; readonly from: number } | undefined
  for (const [index, line] of lines.entries()) {
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence === undefined) continue
    if (open === undefined) open = { fence, from: index + 1 }
    else if (fence.startsWith(open.fence) && line.trim() === fence) {
      blocks.push({ from: open.from, to: index })
      open = undefined
    }
  }
  // An answer that was cut off has no end.
  if (open !== undefined) blocks.push({ from: open.from, to: lines.length })
  return blocks
}
