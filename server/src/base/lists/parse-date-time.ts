const extended = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-][\d:]+)?)?$/i
const basic = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(?:(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-][\d:]+)?)?$/i
const offset = /^([+-])([01]\d|2[0-3])(?::?([0-5]\d))?$/
const dayMs = 86_400_000

/** What `parseDateTime` reads, for telling people. */
export const dateTimeForms =
  'a date such as "2026-01-31" or a date and time such as "2026-01-31T09:30:00Z", "20260131T093000Z" or "2026-01-31T11:30:00+02:00"'

/**
 * An ISO 8601 date (`2026-01-31`, its first instant) or date-time (seconds, fraction and zone optional; no zone is UTC),
 * in the extended or the basic form, as UTC with milliseconds, finer fractions cut off. 24:00 is the next midnight.
 * Undefined for anything else, such as weeks and leap seconds, and outside the years 0001 to 9999.
 */
export function parseDateTime(text: string): string | undefined {
  const match = extended.exec(text) ?? basic.exec(text)
  if (!match) return undefined
  const [, year, month, day, hours = '00', minutes = '00', seconds = '00', fraction = '', zone = 'Z'] = match
  const offsetMinutes = offsetOf(zone)
  const isMidnight = hours === '24' && /^0*$/.test(`${minutes}${seconds}${fraction}`)
  const time = `${isMidnight ? '00' : hours}:${minutes}:${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}`
  const local = `${year}-${month}-${day}T${time}Z`
  const instant = new Date(local)
  // Date turns 30 February into 2 March and 24:00 into the next day: what does not come back unchanged is no date.
  if (offsetMinutes === undefined || Number.isNaN(instant.getTime()) || instant.toISOString() !== local)
    return undefined
  const utc = new Date(instant.getTime() + (isMidnight ? dayMs : 0) - offsetMinutes * 60_000).toISOString()
  // PostgreSQL has no year 0000 and writes years past 9999 in a form of its own.
  return /^\d{4}-/.test(utc) && !utc.startsWith('0000') ? utc : undefined
}

/** In minutes; the minutes and their colon may be left out. */
function offsetOf(zone: string): number | undefined {
  if (zone.toUpperCase() === 'Z') return 0
  const match = offset.exec(zone)
  if (!match) return undefined
  const [, sign, hours, minutes = '0'] = match
  return Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes))
}
