/** A value as people read it: fields, tables, links, pictures, Markdown. Its exact text is one key away. */
import { type ComponentChildren, createContext } from "preact"
import { useContext, useId, useState } from "preact/hooks"
import { isObject } from "../form/schema.js"
import { Markdown } from "./Markdown.js"
import { LongText, Text } from "./Text.js"

/** Deeper than this, a value is shown as JSON. */
const deepest = 4

/** Rows and fields at once. */
const portion = 50

const isFlat = (value: unknown): boolean => typeof value !== "object" || value === null

/** Rows with the same few fields. */
const columnsOf = (rows: ReadonlyArray<unknown>): ReadonlyArray<string> | undefined => {
  if (rows.length < 1 || !rows.every(isObject)) return undefined
  // Of every row: a field that only the last one has is shown too.
  const columns = new Set(rows.flatMap((row) => Object.keys(row)))
  const isTable = columns.size > 0 && columns.size <= 8 && rows.every((row) => Object.values(row).every(isFlat))
  return isTable ? [...columns] : undefined
}

/** What only pixels can come of. */
export const isPicture = (mediaType: string): boolean => /^image\/(?:png|jpeg|gif|webp)$/.test(mediaType)

export const Picture = ({
  alt,
  data,
  mediaType
}: {
  readonly alt: string
  readonly data: string
  readonly mediaType: string
}) => <img class="picture" src={`data:${mediaType};base64,${data}`} alt={alt} />

const picture = /^data:(image\/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/=]+)$/

const looksLikeMarkdown = (text: string): boolean => /^#{1,6} |^[-*+] |^\d+\. |^```|^> |\*\*\S|\]\(https?:/m.test(text)

/** Whether texts are shown letter by letter: a person who decides about them is misled by no link and no picture. */
const Literal = createContext(false)

const Words = ({ text }: { readonly text: string }) => {
  const isLiteral = useContext(Literal)
  if (isLiteral) return <Plain text={text} />
  const [, mediaType, data] = picture.exec(text) ?? []
  if (mediaType !== undefined && data !== undefined) return <Picture alt="" data={data} mediaType={mediaType} />
  if (/^https?:\/\/[^\s"'<>]{1,2000}$/.test(text)) {
    return (
      <a href={text} rel="noopener noreferrer" target="_blank">
        <Text>{text}</Text>
      </a>
    )
  }
  return text.length <= 2000 && looksLikeMarkdown(text) ? <Markdown text={text} /> : <Plain text={text} />
}

const Plain = ({ text }: { readonly text: string }) =>
  text.length > 2000 ? (
    <LongText label="Text" text={text} />
  ) : (
    <span class="words">
      <Text>{text}</Text>
    </span>
  )

const More = <A,>({
  all,
  children
}: {
  readonly all: ReadonlyArray<A>
  readonly children: (shown: ReadonlyArray<A>) => ComponentChildren
}) => {
  const [shown, setShown] = useState(portion)
  return (
    <>
      {children(all.slice(0, shown))}
      {all.length > shown && (
        <p>
          <button type="button" onClick={() => setShown(shown * 4)}>
            Show more of {all.length}
          </button>
        </p>
      )}
    </>
  )
}

const isNumber = (row: unknown, column: string): boolean => isObject(row) && typeof row[column] === "number"

const Table = ({
  columns,
  rows
}: {
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<unknown>
}) => (
  <More all={rows}>
    {(shown) => (
      <div class="table" tabIndex={0} role="group" aria-label="Table">
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col" class={isNumber(rows[0], column) ? "number" : undefined}>
                  <Text>{column}</Text>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, index) => (
              <tr key={index}>
                {columns.map((column) => {
                  const cell = isObject(row) && Object.hasOwn(row, column) ? row[column] : undefined
                  return (
                    <td key={column} class={typeof cell === "number" ? "number" : undefined}>
                      {cell !== undefined && <Shown value={cell} depth={deepest} />}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </More>
)

const Shown = ({ depth, value }: { readonly value: unknown; readonly depth: number }) => {
  if (typeof value === "string") return value === "" ? <span class="quiet">(empty)</span> : <Words text={value} />
  if (isFlat(value)) return <code>{String(value)}</code>
  if (depth >= deepest) return <LongText label="JSON" text={JSON.stringify(value, undefined, 2)} />
  if (Array.isArray(value)) {
    const list: ReadonlyArray<unknown> = value
    const columns = columnsOf(list)
    if (list.length === 0) return <span class="quiet">(none)</span>
    if (columns !== undefined) return <Table columns={columns} rows={list} />
    return (
      <More all={list}>
        {(shown) => (
          <ul class="values">
            {shown.map((one, index) => (
              <li key={index}>
                <Shown value={one} depth={depth + 1} />
              </li>
            ))}
          </ul>
        )}
      </More>
    )
  }
  const fields = Object.entries(value as object)
  if (fields.length === 0) return <span class="quiet">(nothing)</span>
  return (
    <More all={fields}>
      {(shown) => (
        <dl class="facts">
          {shown.flatMap(([name, one]) => [
            <dt key={name}>
              <Text>{name}</Text>
            </dt>,
            <dd key={`${name}=`}>
              <Shown value={one} depth={depth + 1} />
            </dd>
          ])}
        </dl>
      )}
    </More>
  )
}

/** A larger text is shown as it is. */
const longest = 200_000

const parse = (text: string): unknown => {
  if (text.length > longest || !/^\s*[[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** With its name above it. A text that is JSON is read as that. */
export const Value = ({
  exact = "JSON",
  isLiteral = false,
  label,
  value
}: {
  readonly label: string
  readonly value: unknown
  /** Texts as they are written, where somebody decides by them. */
  readonly isLiteral?: boolean
  /** What its exact text is called. */
  readonly exact?: string
}) => {
  const id = useId()
  const [isExact, setIsExact] = useState(false)
  const text = typeof value === "string" ? value : undefined
  const read = text === undefined ? value : parse(text)
  const isPlain = typeof read === "string" && !looksLikeMarkdown(read) && !picture.test(read)
  return (
    <div class="stack tight value" role="group" aria-labelledby={id}>
      <div class="row apart">
        <h3 id={id}>{label}</h3>
        {!isPlain && (
          <button type="button" class="plain small" aria-pressed={isExact} onClick={() => setIsExact(!isExact)}>
            {exact}
          </button>
        )}
      </div>
      {isExact || (isPlain && read.length > 200) ? (
        <LongText label="Exact text" text={text ?? JSON.stringify(value, undefined, 2)} />
      ) : (
        <Literal.Provider value={isLiteral}>
          <Shown value={read} depth={0} />
        </Literal.Provider>
      )}
    </div>
  )
}
