/** Small parts that several pages share. */
import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import { messageOf } from "../state/store.js"
import { addressOfPage, chosen, type PageName } from "../state/route.js"

export const TextField = ({
  hint,
  isArea = false,
  label,
  onInput,
  value,
  ...attributes
}: {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly hint?: string
  readonly isArea?: boolean
  readonly placeholder?: string
  readonly required?: boolean
  readonly maxLength?: number
}) => {
  const id = useId()
  const common = {
    ...attributes,
    id,
    value,
    "aria-describedby": hint === undefined ? undefined : `${id}-hint`,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => onInput(currentTarget.value)
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {isArea ? <textarea rows={3} {...common} /> : <input type="text" autocomplete="off" {...common} />}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

/** A button that keeps the focus while it cannot be pressed, as the one that was pressed does until the answer is there. */
export const Button = ({
  isDisabled,
  onClick,
  ...attributes
}: {
  readonly class?: string | undefined
  readonly type?: "button" | "submit"
  readonly "aria-pressed"?: boolean
  readonly isDisabled: boolean
  readonly onClick?: () => void
  readonly children: ComponentChildren
}) => (
  <button
    type="button"
    {...attributes}
    aria-disabled={isDisabled}
    onClick={(event) => {
      if (isDisabled) event.preventDefault()
      else onClick?.()
    }}
  />
)

export const Search = ({
  label,
  onInput,
  value
}: {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
}) => (
  <input
    type="search"
    aria-label={label}
    placeholder={label}
    value={value}
    onInput={({ currentTarget }) => onInput(currentTarget.value)}
  />
)

/** Lets the user choose a file, and reads its text. */
export const FileButton = ({ label, onText }: { readonly label: string; readonly onText: (text: string) => void }) => {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type="button" onClick={() => input.current!.click()}>
        {label}
      </button>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        hidden
        aria-label={label}
        onChange={async ({ currentTarget }) => {
          const file = currentTarget.files?.[0]
          currentTarget.value = ""
          if (file !== undefined) onText(await file.text())
        }}
      />
    </>
  )
}

/** Offers JSON text as a file. */
export const download = (name: string, text: string): void => {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }))
  const link = document.createElement("a")
  link.href = address
  link.download = name.replaceAll(/[^\w.-]+/g, "-")
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

/** Runs one action at a time; says that it runs, and what went wrong. */
export const useAction = () => {
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const isThere = useRef(true)
  useEffect(() => () => void (isThere.current = false), [])
  const run = async (action: () => Promise<void>): Promise<void> => {
    setIsBusy(true)
    setProblem(undefined)
    try {
      await action()
    } catch (cause) {
      if (isThere.current) setProblem(messageOf(cause))
    }
    if (isThere.current) setIsBusy(false)
  }
  return { isBusy, problem, run, setProblem }
}

export const Problem = ({ children }: { readonly children: string | undefined }) =>
  children === undefined ? null : (
    <p class="notice notice-wrong" role="alert">
      {children}
    </p>
  )

/** What is shown beside a list where nothing is chosen: what stood first in it, as long as it is there. */
export const useShown = (ids: ReadonlyArray<string>, first?: string): string | undefined => {
  const kept = useRef<string | undefined>(undefined)
  if (kept.current === undefined || !ids.includes(kept.current)) kept.current = first ?? ids[0]
  return chosen.value ?? kept.current
}

/** A page with a list beside what is chosen in it; on a phone, one at a time. */
export const Split = ({
  children,
  page,
  side,
  title
}: {
  readonly title: string
  readonly page: PageName
  readonly side: ComponentChildren
  readonly children: ComponentChildren
}) => (
  <div class={chosen.value === undefined ? "split" : "split chosen"}>
    <section class="side" aria-label={title}>
      {side}
    </section>
    <section class="detail" aria-label="Details" tabIndex={-1}>
      {chosen.value !== undefined && (
        <a class="back" href={addressOfPage(page)}>
          All {title.toLowerCase()}
        </a>
      )}
      {children}
    </section>
  </div>
)

/** Loading, an error, or nothing: what stands where a list would. */
export const Emptiness = ({
  children,
  error,
  isLoading
}: {
  readonly isLoading: boolean
  readonly error: string | undefined
  readonly children: ComponentChildren
}) => (
  <div class="empty">
    {error !== undefined ? <p class="wrong">{error}</p> : isLoading ? <p class="busy">Loading…</p> : children}
  </div>
)
