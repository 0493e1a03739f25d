import { replaceHidden } from '@muster/contract/hidden-characters.ts'

/** Text of a device: what would be invisible or turn the line around is shown by its code. */
export const visibleText = (text: string): string =>
  replaceHidden(text, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)

/** The same for text of several lines, which keep their ends. */
export const visibleLines = (text: string): string => text.split('\n').map(visibleText).join('\n')
