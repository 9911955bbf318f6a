/** Arguments as a form or as raw JSON, one key apart. What is typed in one is there in the other. */
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import { Button } from "../parts/Controls.js"
import { showHidden } from "../parts/visible.js"
import type { Schema } from "./schema.js"
import { fieldId, type Problems, SchemaForm } from "./SchemaForm.js"

export const ArgumentsEditor = ({
  onChange,
  onMistake,
  problems,
  schema,
  value
}: {
  readonly schema: Schema
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  /** The raw text is not JSON, or is again. */
  readonly onMistake: (mistake: string | undefined) => void
  readonly problems: Problems
}) => {
  const id = useId()
  const [text, setText] = useState<string>()
  const [mistake, setMistakeHere] = useState<string>()
  const isRaw = text !== undefined
  const raw = useRef<HTMLTextAreaElement>(null)
  const setMistake = (next: string | undefined): void => {
    setMistakeHere(next)
    onMistake(next)
  }
  const toggle = (toRaw: boolean): void => {
    if (toRaw === isRaw || (mistake !== undefined && !toRaw)) return
    setText(toRaw ? JSON.stringify(value ?? {}, undefined, 2) : undefined)
  }
  useLayoutEffect(() => {
    if (isRaw) raw.current?.focus()
  }, [isRaw])
  /** A problem stands at its field. Where it has none, or the arguments are JSON, it stands above all. */
  const places = [...problems].filter(([, messages]) => messages.length > 0)
  const [lost, setLost] = useState<typeof places>([])
  useLayoutEffect(() => {
    setLost(places.filter(([pointer]) => pointer === "" || document.getElementById(fieldId(id, pointer)) === null))
  }, [problems, isRaw])
  return (
    <div
      class="arguments"
      onKeyDown={(event) => {
        if (!event.altKey || event.code !== "KeyJ") return
        event.preventDefault()
        toggle(!isRaw)
      }}
    >
      <div class="row">
        <div class="segments" role="group" aria-label="Edit arguments as">
          <Button aria-pressed={!isRaw} isDisabled={mistake !== undefined} onClick={() => toggle(false)}>
            Form
          </Button>
          <button type="button" aria-pressed={isRaw} onClick={() => toggle(true)}>
            JSON
          </button>
        </div>
        <span class="quiet small keys">
          <kbd>Alt</kbd> <kbd>J</kbd> switches
        </span>
      </div>
      {lost.length > 0 && (
        <ul class="notice notice-wrong plain-list" role="alert">
          {lost.map(([pointer, messages]) => (
            <li key={pointer}>
              {pointer !== "" && <code>{showHidden(pointer.slice(1))} </code>}
              {showHidden(messages.join(" "))}
            </li>
          ))}
        </ul>
      )}
      {isRaw ? (
        <div class="field">
          <label for={`${id}-raw`}>Arguments as JSON</label>
          <textarea
            id={`${id}-raw`}
            ref={raw}
            class="code"
            rows={10}
            spellcheck={false}
            value={text}
            aria-invalid={mistake !== undefined}
            aria-describedby={mistake === undefined ? undefined : `${id}-mistake`}
            onInput={({ currentTarget }) => {
              setText(currentTarget.value)
              try {
                onChange(JSON.parse(currentTarget.value))
                setMistake(undefined)
              } catch (cause) {
                setMistake((cause as SyntaxError).message)
              }
            }}
          />
          {mistake !== undefined && (
            <p class="wrong" id={`${id}-mistake`} role="alert">
              Not JSON: {mistake}
            </p>
          )}
        </div>
      ) : (
        <SchemaForm id={id} schema={schema} value={value} onChange={onChange} problems={problems} />
      )}
    </div>
  )
}
