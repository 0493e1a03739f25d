/**
 * A search text that cannot be understood. `message` is meant for the caller of the API; `position` counts UTF-16
 * units from the start of the text; `field` is the field of the clause at fault, when it is known.
 */
export class SearchError extends Error {
  override readonly name = 'SearchError'
  readonly position: number
  readonly field: string | undefined

  constructor(message: string, position: number, field?: string) {
    super(message)
    this.position = position
    this.field = field
  }
}

/** The caller's text for an error message: in quotes as a search writes them, and cut to 40 characters. */
export function quoteForMessage(text: string): string {
  const characters = Array.from(text.slice(0, 82))
  const isLong = characters.length > 40
  const shown = (isLong ? characters.slice(0, 40).join('') : text).replace(/[\\"]/g, '\\$&')
  return `"${shown}${isLong ? '…' : ''}"`
}
