/**
 * Percent of the whole for each part, in tenths that add up to 100: each is rounded down, and what is left goes to those
 * that lost most. 100 is said of the whole alone, and 0 of nothing alone as far as there are tenths to give. Blank where there is no whole.
 */
export function sharesOf(counts: readonly number[]): string[] {
  const whole = counts.reduce((sum, count) => sum + count, 0)
  if (whole === 0) return counts.map(() => '')
  const exact = counts.map((count) => (count * 1_000) / whole)
  const tenths = exact.map(Math.floor)
  let left = 1_000 - tenths.reduce((sum, count) => sum + count, 0)
  const lost = (place: number) => (exact[place] ?? 0) - (tenths[place] ?? 0)
  const byLoss = [...counts.keys()].filter((place) => lost(place) > 0).sort((one, other) => lost(other) - lost(one))
  const isUnseen = (place: number) => tenths[place] === 0
  for (const place of [...byLoss.filter(isUnseen), ...byLoss.filter((other) => !isUnseen(other))]) {
    if (left === 0) break
    tenths[place] = (tenths[place] ?? 0) + 1
    left -= 1
  }
  return tenths.map(percent)
}

const percent = (tenths: number): string => `${tenths % 1_000 === 0 ? tenths / 10 : (tenths / 10).toFixed(1)}\u2009%`
