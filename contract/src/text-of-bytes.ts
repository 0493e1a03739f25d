/** Why a file is no text: to be said of the file. */
export const notText = 'is UTF-16 without a byte order mark, or no text: save it as UTF-8'

/**
 * The text of a file; undefined where it has none (`notText`). Its byte order mark says whether it is UTF-16, as spreadsheets
 * and PowerShell write it, and is left out; without one it is UTF-8, and what is not becomes U+FFFD.
 */
export function textOfBytes(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes
  const isLittle = first === 0xff && second === 0xfe
  const isBig = first === 0xfe && second === 0xff
  const text = new TextDecoder(isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8').decode(bytes)
  return text.includes('\0') ? undefined : text
}
