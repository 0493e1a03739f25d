const maxPatternLength = 200
const maxRepetitions = 255

/**
 * Why a regular expression may take too long or too much room, or undefined. A pattern must be readable here, so that
 * it can be judged; back references and large or nested repetition counts are what makes matching exponential.
 */
export function faultOfPattern(pattern: string | undefined): string | undefined {
  if (pattern === undefined) return 'A regular expression must be written out as a literal.'
  if (pattern.length > maxPatternLength) return `A regular expression may have ${maxPatternLength} characters.`
  if (pattern.startsWith('***')) return 'A regular expression may not begin with ***.'
  if (/\\[1-9]/.test(pattern)) return 'A regular expression may not refer back to a group.'
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, from, to]) => Number(to || from))
  const product = counts.reduce((all, count) => all * Math.max(1, count), 1)
  if (product > maxRepetitions)
    return `The repetition counts of a regular expression may multiply to ${maxRepetitions}.`
  return undefined
}
