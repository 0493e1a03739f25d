/** How many things came, went or moved between two lists; one that pushes another out of a full page is one change. */
export function countChanges(before: readonly string[], after: readonly string[]): number {
  const places = new Map(after.map((id, place) => [id, place]))
  const stayed = before.flatMap((id) => places.get(id) ?? [])
  const gone = before.length - stayed.length
  const come = after.length - stayed.length
  return Math.max(gone, come) + stayed.length - maxRise(stayed)
}

/** The most of them that stand in order already. */
function maxRise(places: readonly number[]): number {
  const ends: number[] = []
  for (const place of places) {
    const at = ends.findIndex((end) => end > place)
    ends[at === -1 ? ends.length : at] = place
  }
  return ends.length
}
