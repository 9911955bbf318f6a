/** A question in a dialog of the browser's own: it keeps the focus, and Escape closes it. */
import type { ComponentChildren } from "preact"
import { useId, useLayoutEffect, useRef } from "preact/hooks"

export const Dialog = ({
  action,
  children,
  isDangerous = false,
  onClose,
  onSubmit,
  problem,
  title
}: {
  readonly title: string
  /** What the main button does. */
  readonly action: string
  readonly isDangerous?: boolean
  readonly children?: ComponentChildren
  readonly problem?: string | undefined
  readonly onSubmit: () => void
  readonly onClose: () => void
}) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const before = document.activeElement
    dialog.current!.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit()
        }}
      >
        <h2 id={id}>{title}</h2>
        {children}
        {problem !== undefined && (
          <p class="notice notice-wrong" role="alert">
            {problem}
          </p>
        )}
        <div class="row">
          <button type="submit" class={isDangerous ? "danger" : "main"}>
            {action}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  )
}
