import { visibleText } from './visible-text.ts'

type Search = Readonly<Record<string, unknown>>

const maxLetters = 60
const maxNamed = 3

/** What an address says that its page cannot mean: `state=blokced`. A value that was merely blank is not missed. */
export function leftOutOf(raw: Search, kept: Search): string[] {
  return Object.entries(raw).flatMap(([name, value]) => {
    const text = String(value)
    const values = String(kept[name] ?? '').split(',')
    if (text.trim() === '' || String(kept[name] ?? '') === text) return []
    if (kept[name] === undefined) return [`${name}=${text}`]
    // Of several values some are kept; a text that was cut has none of them.
    const isList = values.every((one) => text.split(',').includes(one))
    if (!isList) return [`${name}=${text}`]
    return [...new Set(text.split(','))]
      .filter((one) => one !== '' && !values.includes(one))
      .map((one) => `${name}=${one}`)
  })
}

/** "`state=blokced` is unknown and was ignored." in parts, of which those that are code stand at odd places. */
export function leftOutInWords(leftOut: readonly string[]): string[] {
  const named = leftOut.slice(0, maxNamed).map(shortened)
  const others = leftOut.length - named.length
  const last = others === 0 ? named.length - 1 : named.length
  const parts = named.flatMap((text, index) => [index === 0 ? '' : index === last ? ' and ' : ', ', text])
  const more = others === 0 ? '' : ` and ${others} more`
  return [...parts, leftOut.length === 1 ? ' is unknown and was ignored.' : `${more} are unknown and were ignored.`]
}

/** Anyone may write an address: what hides in it is shown, and it takes no more than its place. */
function shortened(text: string): string {
  const visible = visibleText(text.slice(0, maxLetters * 2))
  return visible.length > maxLetters || text.length > maxLetters * 2 ? `${visible.slice(0, maxLetters)}…` : visible
}
