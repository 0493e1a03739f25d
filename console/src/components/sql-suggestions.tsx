import { type RefObject, useLayoutEffect, useRef } from 'react'
import type { Suggestion } from './sql-completion.ts'

type Parts = {
  readonly id: string
  readonly suggestions: readonly Suggestion[]
  readonly active: number
  /** The text of the editor, as it is laid out. */
  readonly shown: RefObject<HTMLElement | null>
  /** Where the word begins that they stand for. */
  readonly from: number
  readonly onTake: (index: number) => void
}

/** Names below the word that is typed. */
export function SqlSuggestions({ id, suggestions, active, shown, from, onTake }: Parts) {
  const list = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const { current: box } = list
    const around = box?.offsetParent?.getBoundingClientRect()
    const word = shown.current && rectAt(shown.current, from)
    if (!box || !around || !word) return
    box.style.top = `${word.bottom - around.top + 2}px`
    box.style.left = `${Math.max(0, Math.min(word.left - around.left - 8, around.width - box.offsetWidth))}px`
  })
  const count = suggestions.length
  return (
    <>
      <span className="hidden" role="status">
        {count === 0 ? '' : count === 1 ? '1 name fits' : `${count} suggestions`}
      </span>
      {count > 0 && (
        <div ref={list} id={id} className="sql-suggestions" role="listbox" aria-label="Suggestions">
          {suggestions.map(({ name, of }, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and hears the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus and names the active one
            <div
              key={`${of} ${name}`}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => onTake(index)}
            >
              <code className="ellipsis">{name}</code>
              <span className="small faint ellipsis">{of}</span>
            </div>
          ))}
        </div>
      )}
    </>
  )
}

/** Where the character of that number stands. */
function rectAt(text: HTMLElement, position: number): DOMRect | undefined {
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT)
  let left = position
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const length = node.textContent?.length ?? 0
    if (left < length) {
      const range = document.createRange()
      range.setStart(node, left)
      range.setEnd(node, left + 1)
      return range.getBoundingClientRect()
    }
    left -= length
  }
  return undefined
}
