import { isEmailAddress, maxEmailLength } from '@muster/contract/email-address.ts'
import { foldText } from '../../base/fold-text.ts'

/** Without what nobody sees: no-break spaces, marks of direction, zero-width letters and byte order marks. */
export const tidy = (text: string): string =>
  text
    .replace(/\p{Cf}/gu, '')
    .replace(/\p{Zs}/gu, ' ')
    .trim()

/** As spreadsheets keep text that they would take for a number or a formula: `="0012"` and `'0012`. */
export const asText = (text: string): string => /^="(.*)"$/.exec(text)?.[1] ?? text.replace(/^'/, '')

/** A serial number or hardware UUID: `{…}` and 32 digits are UUIDs in the form of all others. */
export function deviceText(cell: string): string {
  const text = asText(tidy(cell)).replace(/^\{(.*)\}$/, '$1')
  const digits = /^[0-9a-f]{32}$/i.test(text)
  return digits ? text.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : text
}

/** The addresses in a cell, each once: `ana@…`, `Ana <ana@…>` and `{'email': 'ana@…'}` have one; a name has none. */
export function addressesIn(cell: string): string[] {
  const text = asText(tidy(cell))
  if (isEmailAddress(text)) return [text]
  const parts = text.split(/[\s<>{}()[\]",;]+/).map((part) => part.replace(/^'(.*)'$/, '$1').replace(/^mailto:/i, ''))
  const valid = parts.filter((part) => isEmailAddress(part))
  // A user name may have the form without being an address.
  const hasForm = valid.length === 0 && text.length <= maxEmailLength && /^[^\s<>]+@[^\s<>]+$/.test(text)
  return hasForm ? [text] : uniqueFolded(valid)
}

function uniqueFolded(texts: readonly string[]): string[] {
  const seen = new Set<string>()
  return texts.filter((text) => {
    const isNew = !seen.has(foldText(text))
    seen.add(foldText(text))
    return isNew
  })
}
