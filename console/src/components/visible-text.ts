/** Controls, and the characters that turn the direction of text or hide in it. */
const hidden = /[\p{Cc}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu

/** Text of a device: what would be invisible or turn the line around is shown by its code. */
export const visibleText = (text: string): string =>
  text.replace(hidden, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)

/** The same for text of several lines, which keep their ends. */
export const visibleLines = (text: string): string => text.split('\n').map(visibleText).join('\n')
