import { Input } from '@mantine/core'
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import './sql.css'
import { completionAt } from './sql-completion.ts'
import { SqlSuggestions } from './sql-suggestions.tsx'
import { SqlText } from './sql-text.tsx'
import { type SqlDialect, useSqlTables } from './use-sql-tables.ts'

type Parts = {
  readonly value: string
  readonly onChange: (sql: string) => void
  readonly label: string
  readonly dialect: SqlDialect
  readonly error?: string | undefined
}

const closed = { at: undefined, isAsked: false, active: 0 }

/**
 * Where SQL is written: a field over its own text in colours, since editors that bring style elements along break the
 * page's policy. Names of tables and columns are offered while they are typed.
 */
export function SqlEditor({ value, onChange, label, dialect, error }: Parts) {
  const id = useId()
  const shown = useRef<HTMLPreElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const [isUsed, setIsUsed] = useState(false)
  const [place, setPlace] = useState<{ at: number | undefined; isAsked: boolean; active: number }>(closed)
  const tables = useSqlTables(dialect, isUsed)
  const { from, suggestions } =
    place.at === undefined
      ? { from: 0, suggestions: [] }
      : completionAt(value, place.at, tables, { isAsked: place.isAsked })
  const active = Math.min(place.active, suggestions.length - 1)
  const take = (index: number) => {
    const name = suggestions[index]?.name
    if (name !== undefined && field.current && place.at !== undefined) replace(field.current, from, place.at, name)
    setPlace(closed)
  }
  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault()
      setPlace({ at: event.currentTarget.selectionEnd, isAsked: true, active: 0 })
      return
    }
    if (suggestions.length === 0) return
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    const isSubmit = event.ctrlKey || event.metaKey
    if (step !== undefined) setPlace({ ...place, active: (active + step + suggestions.length) % suggestions.length })
    else if ((event.key === 'Enter' && !isSubmit) || event.key === 'Tab') take(active)
    else if (event.key === 'Escape') setPlace(closed)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <Input.Wrapper id={id} label={label} error={error} className="sql-editor">
      <div className={error === undefined ? 'sql-place' : 'sql-place refused'}>
        <pre ref={shown} aria-hidden="true">
          <SqlText sql={value} />
          {'\n'}
        </pre>
        <textarea
          ref={field}
          id={id}
          value={value}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          maxLength={64_000}
          rows={Math.min(24, Math.max(8, value.split('\n').length + 1))}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
          aria-invalid={error !== undefined}
          aria-autocomplete="list"
          aria-controls={suggestions.length > 0 ? `${id}-names` : undefined}
          aria-activedescendant={suggestions.length > 0 ? `${id}-names-${active}` : undefined}
          onChange={({ currentTarget }) => {
            onChange(currentTarget.value)
            setPlace({ at: currentTarget.selectionEnd, isAsked: place.isAsked, active: 0 })
          }}
          onFocus={() => setIsUsed(true)}
          onBlur={() => setPlace(closed)}
          onSelect={({ currentTarget }) => currentTarget.selectionEnd !== place.at && setPlace(closed)}
          onKeyDown={press}
          onScroll={({ currentTarget: { scrollTop, scrollLeft } }) => shown.current?.scrollTo(scrollLeft, scrollTop)}
        />
      </div>
      <SqlSuggestions id={`${id}-names`} {...{ suggestions, active, shown, from }} onTake={take} />
    </Input.Wrapper>
  )
}

/** As if it were typed, so that it can be undone as what is typed can. */
function replace(field: HTMLTextAreaElement, from: number, to: number, text: string): void {
  field.focus()
  field.setSelectionRange(from, to)
  document.execCommand('insertText', false, text)
}
