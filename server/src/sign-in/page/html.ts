/** HTML that is safe to send. */
export type Html = { readonly html: string }
type Value = Html | string | number | null | undefined | false | readonly Html[]

/** A tagged template that escapes everything but what it has made itself. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { html: strings.map((text, index) => text + (index < values.length ? textOf(values[index]) : '')).join('') }
}

/** Controls, and what hides in text or turns its direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

/** Text from elsewhere without characters that would be invisible or turn a line around. */
export const visibleText = (text: string): string => text.replace(unseen, '\ufffd')

function textOf(value: Value): string {
  if (value === null || value === undefined || value === false) return ''
  if (Array.isArray(value)) return value.map(({ html: text }: Html) => text).join('')
  if (typeof value === 'object') return (value as Html).html
  return visibleText(String(value)).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)
}
