/** Text by others: names, descriptions, results. It is shown as text, whatever it holds. */
import { useState } from "preact/hooks"
import { showHidden } from "./visible.js"

/** How much of a long text is put into the document at once. */
const portion = 20_000

export const Text = ({ children }: { readonly children: string }) => <bdi>{showHidden(children)}</bdi>

const sizeOf = (characters: number): string =>
  characters < 2_000_000 ? `${Math.ceil(characters / 1000)} thousand` : `${(characters / 1_000_000).toFixed(1)} million`

/** A text of any length in its own lines. A part of it is shown, more on demand. */
export const LongText = ({ label, text }: { readonly label: string; readonly text: string }) => {
  const [shown, setShown] = useState(portion)
  const rest = text.length - shown
  return (
    <div class="long-text">
      <pre tabIndex={0} role="group" aria-label={label} dir="auto">
        {text === "" ? <span class="quiet">(empty)</span> : showHidden(text.slice(0, shown))}
      </pre>
      {rest > 0 && (
        <p class="row">
          <span class="quiet">{sizeOf(rest)} more characters</span>
          <button type="button" onClick={() => setShown(shown + portion * 5)}>
            Show more
          </button>
        </p>
      )}
    </div>
  )
}

export const Json = ({ label, value }: { readonly label: string; readonly value: unknown }) => (
  <LongText label={label} text={value === undefined ? "" : JSON.stringify(value, undefined, 2)} />
)
