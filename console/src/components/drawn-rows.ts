/** Rows from one number to the one before another, or the place of so many from there that are not drawn. */
export type Drawn = { readonly from: number; readonly to: number } | { readonly from: number; readonly gap: number }

/** What stands in a table of so many rows, of which those in sight are drawn, and the one that has the focus. */
export function drawnRows(count: number, first: number, last: number, focused: number | undefined): Drawn[] {
  const spans = [{ from: first, to: last }]
  if (focused !== undefined && focused < count) {
    if (focused < first) spans.unshift({ from: focused, to: focused + 1 })
    else if (focused >= last) spans.push({ from: focused, to: focused + 1 })
  }
  const drawn: Drawn[] = []
  let at = 0
  for (const { from, to } of spans) {
    if (from > at) drawn.push({ from: at, gap: from - at })
    if (to > from) drawn.push({ from, to })
    at = Math.max(at, to)
  }
  if (count > at) drawn.push({ from: at, gap: count - at })
  return drawn
}
