/** The candidate within a third of the name's length in edits (insert, delete, replace, swap), or undefined. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  let nearest: string | undefined
  let nearestDistance = Math.max(2, Math.floor(name.length / 3)) + 1
  for (const candidate of candidates) {
    const distance = editDistance(name, candidate)
    if (distance < nearestDistance) {
      nearest = candidate
      nearestDistance = distance
    }
  }
  return nearest
}

/** Optimal string alignment distance. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1]
      const replaced = (last[column - 1] ?? 0) + (same ? 0 : 1)
      let best = Math.min(replaced, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1)
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (swapped) best = Math.min(best, (beforeLast[column - 2] ?? 0) + 1)
      current.push(best)
    }
    beforeLast = last
    last = current
  }
  return last[to.length] ?? 0
}
