/** Something wrong with a code block, at the line of the page that a writer has to change. */
export interface Problem {
  readonly page: string
  readonly line: number
  readonly message: string
}

export const formatProblem = ({ page, line, message }: Problem): string => `${page}:${line}: ${message}`
