/**
 * The file in what a model has answered: the code block, where there is one, and
 * the name that it gave it.
 */
export interface Answer {
  readonly name: string | undefined
  readonly text: string
}

export const readAnswer = (answer: string): Answer => {
  const lines = answer.split(/\r\n|\r|\n/)
  const blocks = blocksOf(lines)
  // Where there are several, the longest is the file; the others show how it is used.
  const [block] = blocks.toSorted((left, right) => right.to - right.from - (left.to - left.from))
  if (block === undefined) return { name: undefined, text: answer }
  const outside = lines.filter((_, index) => blocks.every(({ from, to }) => index < from || index >= to))
  return {
    name: outside.flatMap((line) => /^\W*File\W+([\w.-]+)\W*$/i.exec(line)?.[1] ?? []).at(0),
    text: `${lines.slice(block.from, block.to).join("\n")}\n`
  }
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
