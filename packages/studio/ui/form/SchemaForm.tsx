/** A form made from a JSON Schema. An empty field is absent from the value; defaults are shown, and never sent. */
import { type ComponentChildren, createContext } from "preact"
import { useContext, useId, useLayoutEffect, useMemo, useState } from "preact/hooks"
import { pointerOf } from "../parts/pointer.js"
import { Text } from "../parts/Text.js"
import { showHidden } from "../parts/visible.js"
import { type Field, fieldOf, initialOf, isObject, resolve, type Schema, variantOf } from "./schema.js"

/** What is wrong, by the JSON pointer of its place. */
export type Problems = ReadonlyMap<string, ReadonlyArray<string>>

interface Form {
  readonly root: Schema
  readonly problems: Problems
  readonly idOf: (pointer: string) => string
}

const FormContext = createContext<Form>({ root: {}, problems: new Map(), idOf: (pointer) => pointer })

interface Part {
  readonly pointer: string
  readonly name: string
  readonly schema: Schema
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly isRequired: boolean
}

const defaultOf = (schema: Schema): string | undefined =>
  "default" in schema ? `default: ${JSON.stringify(schema["default"])}` : undefined

/** The id of a field, which its label and a problem's link name. */
export const fieldId = (form: string, pointer: string): string => `${form}${pointer.replaceAll(/[^\w/-]/g, "_")}`

const useField = ({ isRequired, pointer, schema }: Part) => {
  const { idOf, problems } = useContext(FormContext)
  const id = idOf(pointer)
  const wrong = problems.get(pointer)
  const { description } = schema
  const described = [
    ...(typeof description === "string" ? [`${id}-about`] : []),
    ...(wrong !== undefined ? [`${id}-wrong`] : [])
  ]
  return {
    id,
    wrong,
    description: typeof description === "string" ? description : undefined,
    attributes: {
      id,
      "aria-invalid": wrong !== undefined,
      "aria-required": isRequired,
      "aria-describedby": described.length > 0 ? described.join(" ") : undefined
    }
  }
}

const About = ({
  description,
  id,
  wrong
}: {
  id: string
  description: string | undefined
  wrong: ReadonlyArray<string> | undefined
}) => (
  <>
    {description !== undefined && (
      <p class="hint" id={`${id}-about`}>
        <Text>{description}</Text>
      </p>
    )}
    {wrong !== undefined && (
      <p class="wrong small" id={`${id}-wrong`} role="alert">
        <Text>{wrong.join(" ")}</Text>
      </p>
    )}
  </>
)

/** One control with its label. */
const Labelled = ({ children, part }: { readonly part: Part; readonly children: ComponentChildren }) => {
  const { description, id, wrong } = useField(part)
  return (
    <div class="field">
      <label for={id}>
        <Text>{part.name}</Text>
        {part.isRequired && <span class="required"> required</span>}
      </label>
      {children}
      <About id={id} description={description} wrong={wrong} />
    </div>
  )
}

/** Several controls with one legend, which problems of the whole point at. */
const Group = ({ children, part }: { readonly part: Part; readonly children: ComponentChildren }) => {
  const { attributes, description, id, wrong } = useField(part)
  return (
    <fieldset id={id} tabIndex={-1} aria-describedby={attributes["aria-describedby"]}>
      <legend>
        <Text>{part.name}</Text>
        {part.isRequired && <span class="required"> required</span>}
      </legend>
      <About id={id} description={description} wrong={wrong} />
      {children}
    </fieldset>
  )
}

const Line = (part: Part & { readonly field: Extract<Field, { readonly kind: "text" | "number" }> }) => {
  const { field, onChange, schema, value } = part
  const { attributes } = useField(part)
  const shown = value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value)
  // While a number is typed, it may not be one yet: `1.`, `-`.
  const [text, setText] = useState(shown)
  useLayoutEffect(() => {
    if (field.kind === "text" || String(Number(text)) !== shown) setText(shown)
  }, [shown])
  const onInput = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => {
    const typed = currentTarget.value
    setText(typed)
    if (typed === "") return onChange(undefined)
    const number = Number(typed)
    onChange(field.kind === "number" && typed.trim() !== "" && Number.isFinite(number) ? number : typed)
  }
  const placeholder = defaultOf(schema) ?? (field.kind === "text" ? field.hint : undefined)
  const isLong = field.kind === "text" && (field.isLong || text.includes("\n") || text.length > 100)
  return (
    <Labelled part={part}>
      {isLong ? (
        <textarea {...attributes} rows={4} value={text} placeholder={placeholder} onInput={onInput} />
      ) : (
        <input
          {...attributes}
          type="text"
          autocomplete="off"
          inputMode={field.kind === "number" ? (field.isInteger ? "numeric" : "decimal") : "text"}
          value={text}
          placeholder={placeholder}
          onInput={onInput}
        />
      )}
    </Labelled>
  )
}

const Choice = (part: Part & { readonly values: ReadonlyArray<unknown> }) => {
  const { onChange, schema, value, values } = part
  const { attributes } = useField(part)
  const chosen = value === undefined ? -1 : values.findIndex((one) => JSON.stringify(one) === JSON.stringify(value))
  return (
    <Labelled part={part}>
      <select
        {...attributes}
        value={String(chosen)}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.value === "-1" ? undefined : values[Number(currentTarget.value)])
        }
      >
        <option value="-1">{defaultOf(schema) ?? "not set"}</option>
        {values.map((one, index) => (
          <option key={index} value={String(index)}>
            {showHidden(typeof one === "string" ? one : JSON.stringify(one))}
          </option>
        ))}
      </select>
    </Labelled>
  )
}

const AnyJson = (part: Part) => {
  const { onChange, schema, value } = part
  const { attributes, id } = useField(part)
  const shown = value === undefined ? "" : JSON.stringify(value, undefined, 2)
  const [text, setText] = useState(shown)
  const [mistake, setMistake] = useState<string>()
  useLayoutEffect(() => {
    if (mistake === undefined && JSON.stringify(parse(text)) !== JSON.stringify(value)) setText(shown)
  }, [shown])
  return (
    <Labelled part={part}>
      <textarea
        {...attributes}
        class="code"
        rows={3}
        spellcheck={false}
        value={text}
        placeholder={defaultOf(schema) ?? "JSON"}
        aria-describedby={
          [attributes["aria-describedby"], mistake && `${id}-mistake`].filter(Boolean).join(" ") || undefined
        }
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          try {
            onChange(currentTarget.value.trim() === "" ? undefined : JSON.parse(currentTarget.value))
            setMistake(undefined)
          } catch (cause) {
            setMistake((cause as SyntaxError).message)
          }
        }}
      />
      {mistake !== undefined && (
        <p class="wrong" id={`${id}-mistake`}>
          {mistake}
        </p>
      )}
    </Labelled>
  )
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const List = (part: Part & { readonly items: Schema }) => {
  const { root } = useContext(FormContext)
  const { items, name, onChange, pointer, value } = part
  const list = Array.isArray(value) ? (value as ReadonlyArray<unknown>) : []
  return (
    <Group part={part}>
      {list.map((item, index) => (
        <div class="item" key={index}>
          <Field
            pointer={pointerOf(pointer, index)}
            name={`${name} ${index + 1}`}
            schema={items}
            value={item}
            isRequired
            onChange={(changed) => onChange(list.with(index, changed))}
          />
          <button
            type="button"
            class="plain"
            aria-label={`Remove ${showHidden(name)} ${index + 1}`}
            onClick={() => onChange(list.length === 1 && !part.isRequired ? undefined : list.toSpliced(index, 1))}
          >
            Remove
          </button>
        </div>
      ))}
      <button type="button" onClick={() => onChange([...list, initialOf(root, items) ?? null])}>
        Add to <Text>{name}</Text>
      </button>
    </Group>
  )
}

const Members = (part: Part & { readonly field: Extract<Field, { readonly kind: "object" }> }) => {
  const { root } = useContext(FormContext)
  const { field, onChange, pointer, value } = part
  const members = isObject(value) ? value : {}
  const [added, setAdded] = useState("")
  const id = useId()
  const set = (name: string, changed: unknown): void => {
    const { [name]: _, ...others } = members
    const next = changed === undefined ? others : { ...members, [name]: changed }
    onChange(Object.keys(next).length === 0 && !part.isRequired ? undefined : next)
  }
  const declared = new Set(field.properties.map(([name]) => name))
  const add = (): void => {
    if (added === "" || declared.has(added)) return
    set(added, initialOf(root, field.more!) ?? null)
    setAdded("")
  }
  return (
    <>
      {field.properties.map(([name, schema]) => (
        <Field
          key={name}
          pointer={pointerOf(pointer, name)}
          name={name}
          schema={schema}
          value={Object.hasOwn(members, name) ? members[name] : undefined}
          isRequired={field.required.has(name)}
          onChange={(changed) => set(name, changed)}
        />
      ))}
      {Object.keys(members)
        .filter((name) => !declared.has(name))
        .map((name) => (
          <div class="item" key={name}>
            <Field
              pointer={pointerOf(pointer, name)}
              name={name}
              schema={field.more ?? {}}
              value={members[name]}
              isRequired={false}
              onChange={(changed) => set(name, changed ?? null)}
            />
            <button
              type="button"
              class="plain"
              aria-label={`Remove ${showHidden(name)}`}
              onClick={() => set(name, undefined)}
            >
              Remove
            </button>
          </div>
        ))}
      {field.more !== undefined && (
        <div class="row">
          <label for={id} class="unseen">
            Name of a new member of {showHidden(part.name)}
          </label>
          <input
            id={id}
            type="text"
            value={added}
            placeholder="name"
            onInput={({ currentTarget }) => setAdded(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter") return
              event.preventDefault()
              add()
            }}
          />
          <button type="button" onClick={add}>
            Add member
          </button>
        </div>
      )}
    </>
  )
}

const Variants = (part: Part & { readonly field: Extract<Field, { readonly kind: "variants" }> }) => {
  const { root } = useContext(FormContext)
  const { field, onChange, pointer, schema, value } = part
  const { attributes } = useField(part)
  const [picked, setPicked] = useState(-1)
  const chosen = picked >= 0 ? picked : variantOf(root, field.variants, value)
  const variant = field.variants[chosen]
  const pick = (index: number): void => {
    setPicked(index)
    const next = field.variants[index]
    onChange(next === undefined ? undefined : initialOf(root, next.schema))
  }
  const isNull = variant !== undefined && resolve(root, variant.schema)["type"] === "null"
  return (
    <div class="variants">
      <Labelled part={part}>
        <select
          {...attributes}
          id={attributes.id}
          value={String(chosen)}
          onChange={({ currentTarget }) => pick(Number(currentTarget.value))}
        >
          <option value="-1">{defaultOf(schema) ?? "not set"}</option>
          {field.variants.map(({ label }, index) => (
            <option key={index} value={String(index)}>
              {showHidden(label)}
            </option>
          ))}
        </select>
      </Labelled>
      {variant !== undefined && !isNull && (
        <Field
          key={chosen}
          pointer={pointer}
          idPointer={`${pointer}/=`}
          name={variant.label}
          schema={variant.schema}
          value={value}
          isRequired
          onChange={onChange}
        />
      )}
    </div>
  )
}

/** A part of the form, for any schema. Two controls of one place have ids of their own. */
const Field = ({ idPointer, ...part }: Part & { readonly idPointer?: string }) => {
  const form = useContext(FormContext)
  const schema = useMemo(() => resolve(form.root, part.schema), [form.root, part.schema])
  const field = useMemo(() => fieldOf(form.root, schema), [form.root, schema])
  const [isOpen, setIsOpen] = useState(false)
  const own = { ...part, schema }
  if (idPointer !== undefined) {
    const inner: Form = {
      ...form,
      idOf: (pointer) => form.idOf(pointer === part.pointer ? idPointer : pointer)
    }
    return (
      <FormContext.Provider value={inner}>
        <Field {...part} />
      </FormContext.Provider>
    )
  }
  switch (field.kind) {
    case "text":
    case "number":
      // A number's field may hold a text, a text's field no object.
      return isObject(part.value) || Array.isArray(part.value) ? <AnyJson {...own} /> : <Line {...own} field={field} />
    case "boolean":
      return <Choice {...own} values={[true, false]} />
    case "choice":
      return <Choice {...own} values={field.values} />
    case "list":
      return <List {...own} items={field.items} />
    case "object": {
      // An optional object is opened by hand: a schema may contain itself.
      const isShown = isOpen || part.isRequired || part.value !== undefined || hasProblem(form.problems, part.pointer)
      return (
        <Group part={own}>
          {isShown ? (
            <Members {...own} field={field} />
          ) : (
            <button type="button" onClick={() => setIsOpen(true)}>
              Add <Text>{part.name}</Text>
            </button>
          )}
        </Group>
      )
    }
    case "variants":
      return <Variants {...own} field={field} />
    case "json":
      return <AnyJson {...own} />
  }
}

const hasProblem = (problems: Problems, pointer: string): boolean =>
  [...problems.keys()].some((place) => place.startsWith(`${pointer}/`))

/** The fields of an object's schema; `id` is unique in the page. */
export const SchemaForm = ({
  id,
  onChange,
  problems,
  schema,
  value
}: {
  readonly id: string
  readonly schema: Schema
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly problems: Problems
}) => {
  const form = useMemo<Form>(
    () => ({ root: schema, problems, idOf: (pointer) => fieldId(id, pointer) }),
    [schema, problems, id]
  )
  const resolved = useMemo(() => resolve(schema, schema), [schema])
  const field = fieldOf(schema, resolved)
  const whole = { pointer: "", name: "arguments", schema: resolved, value, onChange, isRequired: true }
  return (
    <FormContext.Provider value={form}>
      <div class="fields">
        {field.kind === "object" ? <Members {...whole} field={field} /> : <Field {...whole} />}
        {field.kind === "object" && field.properties.length === 0 && field.more === undefined && (
          <p class="quiet">This tool takes no arguments.</p>
        )}
      </div>
    </FormContext.Provider>
  )
}
