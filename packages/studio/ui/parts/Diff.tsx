import { compareJson, type Line } from "./diff.js"
import { showHidden } from "./visible.js"

/** Two JSON values as one text. */
export const Diff = ({
  after,
  before,
  label
}: {
  readonly before: unknown
  readonly after: unknown
  readonly label: string
}) => <DiffLines label={label} lines={compareJson(before, after)} />

/** Two texts as one, what was removed and added marked by sign, colour and words. */
export const DiffLines = ({ label, lines }: { readonly lines: ReadonlyArray<Line>; readonly label: string }) => (
  <pre class="diff" tabIndex={0} role="group" aria-label={label}>
    {lines.map(({ kind, text }, index) => {
      const shown = showHidden(text)
      if (kind === "removed") return <del key={index}>{`- ${shown}\n`}</del>
      if (kind === "added") return <ins key={index}>{`+ ${shown}\n`}</ins>
      return <span key={index}>{`  ${shown}\n`}</span>
    })}
  </pre>
)
