import { useEffect, useRef, useState } from 'react'
import { Icon } from './icon.tsx'
import './search-box.css'

type Parts = { readonly value: string; readonly placeholder: string; readonly onChange: (text: string) => void }

/** Tells of what was typed once nothing was for 200 ms. `/` comes here. */
export function SearchBox({ value, placeholder, onChange }: Parts) {
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const sent = useRef(value)
  useEffect(() => {
    if (value === sent.current) return
    sent.current = value
    setText(value)
  }, [value])
  // What was typed on a page that was left must not lead back to it.
  useEffect(() => () => clearTimeout(timer.current), [])
  const type = (typed: string) => {
    setText(typed)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      sent.current = typed.trim()
      onChange(typed.trim())
    }, 200)
  }
  return (
    <label className="searchbox">
      <Icon name="search" size={14} />
      <input
        type="search"
        data-search
        aria-label={`Search: ${placeholder}`}
        placeholder={placeholder}
        value={text}
        maxLength={200}
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      <kbd>/</kbd>
    </label>
  )
}
