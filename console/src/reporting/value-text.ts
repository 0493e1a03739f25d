import { visibleText } from '../components/visible-text.ts'

/** A value of SQL as text; those with parts as JSON. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return visibleText(typeof value === 'string' ? value : JSON.stringify(value))
}
