import { useId, useMemo, useRef } from 'react'
import { tokensOf } from './sql-tokens.ts'

type Parts = {
  readonly label: string
  readonly value: string
  readonly onChange: (sql: string) => void
  readonly fault: string | undefined
}

/** A field for SQL over its own text in colours: editors that bring style elements along break the page's policy. */
export function SqlEditor({ label, value, onChange, fault }: Parts) {
  const id = useId()
  const shown = useRef<HTMLPreElement>(null)
  const tokens = useMemo(() => tokensOf(value), [value])
  return (
    <div className="sql-editor">
      <label htmlFor={id}>{label}</label>
      <div className="sql-place">
        <pre ref={shown} aria-hidden="true">
          {tokens.map(({ kind, text }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no identity but their place
            <span key={index} className={`sql-${kind}`}>
              {text}
            </span>
          ))}
          {'\n'}
        </pre>
        <textarea
          id={id}
          value={value}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          rows={Math.min(24, Math.max(8, value.split('\n').length + 1))}
          aria-describedby={fault === undefined ? undefined : `${id}-fault`}
          aria-invalid={fault !== undefined}
          onChange={(event) => onChange(event.currentTarget.value)}
          onScroll={({ currentTarget: { scrollTop, scrollLeft } }) => shown.current?.scrollTo(scrollLeft, scrollTop)}
        />
      </div>
      {fault !== undefined && (
        <p id={`${id}-fault`} className="sm bad">
          {fault}
        </p>
      )}
    </div>
  )
}
