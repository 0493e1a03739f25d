/** Whether PostgreSQL can hold the text: it takes neither NUL nor half a surrogate pair. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** At most `longest` UTF-16 units of a text, with U+FFFD for what PostgreSQL cannot hold, also at the cut. */
export function storable(text: string, longest = Number.POSITIVE_INFINITY): string {
  const cut = text.length > longest ? text.slice(0, longest) : text
  return isStorable(cut) ? cut : cut.replaceAll('\0', '\ufffd').toWellFormed()
}
