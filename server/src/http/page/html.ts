import { replaceHidden } from '@muster/contract/hidden-characters.ts'

/** HTML that is safe to send. */
export type Html = { readonly html: string }
type Value = Html | string | number | null | undefined | false | readonly Html[]

/** A tagged template that escapes everything but what it has made itself. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { html: strings.map((text, index) => text + (index < values.length ? textOf(values[index]) : '')).join('') }
}

/** Text from elsewhere without characters that would be invisible or turn a line around. Tabs and ends of lines stay. */
export const visibleText = (text: string): string =>
  replaceHidden(text, (character) => (character === '\t' || character === '\n' ? character : '\ufffd'))

function textOf(value: Value): string {
  if (value === null || value === undefined || value === false) return ''
  if (Array.isArray(value)) return value.map(({ html: text }: Html) => text).join('')
  if (typeof value === 'object') return (value as Html).html
  return visibleText(String(value)).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)
}
