import { compareJson } from "./diff.js"
import { showHidden } from "./visible.js"

/** Two JSON values as one text, what was removed and added marked by sign, colour and words. */
export const Diff = ({
  after,
  before,
  label
}: {
  readonly before: unknown
  readonly after: unknown
  readonly label: string
}) => (
  <pre class="diff" tabIndex={0} role="group" aria-label={label}>
    {compareJson(before, after).map(({ kind, text }, index) => {
      const shown = showHidden(text)
      if (kind === "removed") return <del key={index}>{`- ${shown}\n`}</del>
      if (kind === "added") return <ins key={index}>{`+ ${shown}\n`}</ins>
      return <span key={index}>{`  ${shown}\n`}</span>
    })}
  </pre>
)
