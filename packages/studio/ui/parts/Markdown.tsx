import { useMemo } from "preact/hooks"
import { type Block, readBlocks, type Span } from "./markdown.js"
import { showHidden } from "./visible.js"

/** A longer text is shown as it is: what a model writes is short. */
const longest = 100_000

const Spans = ({ spans }: { readonly spans: ReadonlyArray<Span> }) => (
  <>{spans.map((span, index) => renderSpan(span, index))}</>
)

const renderSpan = (span: Span, index: number) => {
  switch (span.kind) {
    case "text":
      return showHidden(span.text)
    case "code":
      return <code key={index}>{showHidden(span.text)}</code>
    case "strong":
      return (
        <strong key={index}>
          <Spans spans={span.spans} />
        </strong>
      )
    case "emphasis":
      return (
        <em key={index}>
          <Spans spans={span.spans} />
        </em>
      )
    case "link":
      return (
        <a key={index} href={span.address} rel="noopener noreferrer" target="_blank" title={showHidden(span.address)}>
          <Spans spans={span.spans} />
        </a>
      )
  }
}

const Blocks = ({ blocks }: { readonly blocks: ReadonlyArray<Block> }) => (
  <>{blocks.map((block, index) => renderBlock(block, index))}</>
)

const renderBlock = (block: Block, index: number) => {
  switch (block.kind) {
    case "paragraph":
      return (
        <p key={index}>
          <Spans spans={block.spans} />
        </p>
      )
    case "heading":
      // The page's own headings have an order, in which a message's have no place.
      return (
        <p key={index} class={`heading heading-${Math.min(block.level, 3)}`}>
          <Spans spans={block.spans} />
        </p>
      )
    case "code":
      return (
        <pre key={index} tabIndex={0} role="group" aria-label="Code">
          <code>{showHidden(block.text)}</code>
        </pre>
      )
    case "quote":
      return (
        <blockquote key={index}>
          <Blocks blocks={block.blocks} />
        </blockquote>
      )
    case "list": {
      const List = block.isOrdered ? "ol" : "ul"
      return (
        <List key={index}>
          {block.items.map((blocks, at) => (
            <li key={at}>
              <Blocks blocks={blocks} />
            </li>
          ))}
        </List>
      )
    }
    case "rule":
      return <hr key={index} />
  }
}

/** Markdown by a model, as elements made one by one. Images are not loaded. */
export const Markdown = ({ text }: { readonly text: string }) => {
  const blocks = useMemo(
    (): ReadonlyArray<Block> =>
      text.length > longest ? [{ kind: "code", text: text.slice(0, longest) }] : readBlocks(text),
    [text]
  )
  return (
    <div class="markdown" dir="auto">
      <Blocks blocks={blocks} />
    </div>
  )
}
