/** @jsxImportSource react */
/** A question of a tool: a form by the JSON Schema of the reply. */
import type { UiMessages } from "@wield/chat"
import { useId } from "react"

interface Field {
  readonly title?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<string>
  readonly maxLength?: number
}

export const Question = ({
  isBusy,
  reply,
  request
}: {
  readonly request: UiMessages.RequestData
  readonly isBusy: boolean
  readonly reply: (request: string, reply: object) => void
}) => {
  const title = useId()
  // The tools of this shop ask for objects of such fields.
  const { properties = {}, required = [] } = (request.accepts ?? {}) as {
    readonly properties?: { readonly [name: string]: Field }
    readonly required?: ReadonlyArray<string>
  }
  return (
    <form
      className="asks"
      aria-labelledby={title}
      onSubmit={(event) => {
        event.preventDefault()
        reply(request.id, { input: Object.fromEntries(new FormData(event.currentTarget)) })
      }}
    >
      <h3 id={title}>{String(request.asks)}</h3>
      <div className="line">
        {Object.entries(properties).map(([name, field]) => (
          <label key={name}>
            {field.title ?? name}
            {field.enum === undefined ? (
              <input name={name} required={required.includes(name)} maxLength={field.maxLength} />
            ) : (
              <select name={name} required={required.includes(name)}>
                {field.enum.map((value) => (
                  <option key={value}>{value}</option>
                ))}
              </select>
            )}
          </label>
        ))}
      </div>
      <p>
        <button className="main" disabled={isBusy}>
          Answer
        </button>
      </p>
    </form>
  )
}
