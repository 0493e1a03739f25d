type Raw = Readonly<Record<string, unknown>>

/** What an address may say; what it cannot mean is dropped. */
export const readText = (raw: Raw, name: string, most = 200): string | undefined => {
  const value = raw[name]
  return typeof value === 'string' && value !== '' ? value.slice(0, most) : undefined
}

export const readId = (raw: Raw, name: string): string | undefined => {
  const value = raw[name]
  return typeof value === 'string' && /^\d{1,18}$/.test(value) ? value : undefined
}

/** A day like `2026-11-20` that is over, in UTC. */
export function readPastDay(raw: Raw, name: string): string | undefined {
  const value = raw[name]
  if (typeof value !== 'string' || !/^20\d\d-\d\d-\d\d$/.test(value)) return undefined
  const time = Date.parse(value)
  const isDay = !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)
  return isDay && value < new Date().toISOString().slice(0, 10) ? value : undefined
}

export const readChoice = <Name extends string>(raw: Raw, name: string, known: readonly Name[]): Name | undefined =>
  known.find((value) => value === raw[name])

/** Some of the known values, divided by commas. */
export function readChoices(raw: Raw, name: string, known: readonly string[]): string | undefined {
  const kept = (readText(raw, name) ?? '').split(',').filter((value) => known.includes(value))
  return kept.length > 0 ? [...new Set(kept)].join(',') : undefined
}

export const keysOf = <Name extends string>(words: Readonly<Record<Name, unknown>>) => Object.keys(words) as Name[]

/** Without the fields that are undefined, so that they stay out of the address. */
export const given = <Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== '')) as never

/** The place in a list that a link names. */
export const readAfter = (raw: Raw): { after?: string } => given({ after: readText(raw, 'after', 2_000) })

/** Filters in words, as one sentence; blank when there are none. */
export function sentenceOf(words: readonly (string | false | undefined)[]): string {
  const sentence = words.filter(Boolean).join(', and ')
  return sentence === '' ? '' : `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}.`
}
