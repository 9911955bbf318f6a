/**
 * A list of any length, of which only the rows in view are in the document. One stop for the keyboard: arrows, Page Up
 * and Down, Home and End move in it, Enter opens.
 */
import type { ComponentChildren } from "preact"
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks"

/** Rows before and after those in view. */
const margin = 8

export interface Row {
  readonly content: ComponentChildren
  /** In a tree: from 1, and whether it shows what is below it. */
  readonly level?: number
  readonly isExpanded?: boolean | undefined
}

/** Where the active row is now; where it was, if it has gone. */
const findActive = (
  active: { readonly index: number; readonly key: string },
  count: number,
  keyOf: (index: number) => string
): number => {
  const isActive = (index: number): boolean => keyOf(index) === active.key
  if (active.index < count && isActive(active.index)) return active.index
  for (let index = 0; index < count; index++) if (isActive(index)) return index
  return Math.min(active.index, Math.max(0, count - 1))
}

export const VirtualList = ({
  count,
  isFollowing = false,
  keyOf,
  label,
  onOpen,
  onToggle,
  row,
  rowHeight,
  selected
}: {
  readonly count: number
  readonly label: string
  /** In pixels of a text at its usual size; all rows have it. */
  readonly rowHeight: number
  /** What a row is, wherever it stands: the keyboard's place moves with it. */
  readonly keyOf: (index: number) => string
  readonly row: (index: number) => Row
  readonly onOpen: (index: number) => void
  /** Makes it a tree: Right shows, Left hides what is below a row, as does a click on its `.twist`. */
  readonly onToggle?: (index: number, isExpanded: boolean) => void
  readonly selected: number
  /** Stays at the end as rows are added, unless the user scrolled away from it. */
  readonly isFollowing?: boolean
}) => {
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const [view, setView] = useState({ top: 0, height: 600 })
  const [active, setActive] = useState({ index: Math.max(0, selected), key: "" })
  const current = findActive(active, count, keyOf)
  const activate = (index: number): void => setActive({ index, key: keyOf(index) })

  useLayoutEffect(() => {
    const element = box.current!
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    if (isFollowing && atEnd.current) box.current!.scrollTop = box.current!.scrollHeight
  }, [count, isFollowing])
  const reveal = (index: number): void => {
    const element = box.current!
    if (index * rowHeight < element.scrollTop) element.scrollTop = index * rowHeight
    else if ((index + 1) * rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = (index + 1) * rowHeight - element.clientHeight
    }
  }
  const selectedKey = selected < 0 ? undefined : keyOf(selected)
  useLayoutEffect(() => {
    if (selectedKey === undefined) return
    activate(selected)
    reveal(selected)
  }, [selectedKey])

  const move = (to: number): void => {
    const next = Math.max(0, Math.min(count - 1, to))
    activate(next)
    reveal(next)
    setView({ top: box.current!.scrollTop, height: box.current!.clientHeight })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor(view.height / rowHeight) - 1)
    const moves: Record<string, number> = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      PageDown: current + page,
      PageUp: current - page,
      Home: 0,
      End: count - 1
    }
    const to = moves[event.key]
    if (event.ctrlKey || event.altKey || event.metaKey || count === 0) return
    if (to !== undefined) move(to)
    else if (event.key === "Enter" || event.key === " ") onOpen(current)
    else if (onToggle !== undefined && (event.key === "ArrowRight" || event.key === "ArrowLeft")) {
      onToggle(current, event.key === "ArrowRight")
    } else return
    event.preventDefault()
  }

  const first = Math.max(0, Math.floor(view.top / rowHeight) - margin)
  const last = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + margin)
  const indexes = Array.from({ length: Math.max(0, last - first) }, (_, offset) => first + offset)
  if (count > 0 && !indexes.includes(current)) indexes.push(current)
  const isTree = onToggle !== undefined
  return (
    <div
      ref={box}
      class="virtual-list"
      role={isTree ? "tree" : "listbox"}
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={count === 0 ? undefined : `${id}-${current}`}
      onKeyDown={onKeyDown}
      onScroll={({ currentTarget: { clientHeight, scrollHeight, scrollTop } }) => {
        atEnd.current = scrollTop + clientHeight >= scrollHeight - rowHeight
        setView({ top: scrollTop, height: clientHeight })
      }}
    >
      <div class="virtual-rows" role="presentation" style={{ height: `${count * rowHeight}px` }}>
        {indexes.map((index) => {
          const { content, isExpanded, level } = row(index)
          return (
            <div
              key={keyOf(index)}
              id={`${id}-${index}`}
              class={index === current ? "virtual-row active" : "virtual-row"}
              role={isTree ? "treeitem" : "option"}
              aria-selected={index === selected}
              aria-level={level}
              aria-expanded={isExpanded}
              aria-setsize={isTree ? undefined : count}
              aria-posinset={isTree ? undefined : index + 1}
              style={{ transform: `translateY(${index * rowHeight}px)`, height: `${rowHeight}px` }}
              onClick={({ target }) => {
                activate(index)
                if ((target as Element).closest(".twist") !== null && isExpanded !== undefined) {
                  onToggle?.(index, !isExpanded)
                } else onOpen(index)
              }}
            >
              {content}
            </div>
          )
        })}
      </div>
    </div>
  )
}
