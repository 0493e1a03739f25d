import './sql.css'
import { useMemo } from 'react'
import { tokensOf } from './sql-tokens.ts'

/** SQL in colours; `shownAs` makes visible what would hide in it. */
export function SqlText({ sql, shownAs = (text) => text }: { sql: string; shownAs?: (text: string) => string }) {
  const tokens = useMemo(() => tokensOf(sql), [sql])
  return tokens.map(({ kind, text }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no identity but their place
    <span key={index} className={`sql-${kind}`}>
      {shownAs(text)}
    </span>
  ))
}
