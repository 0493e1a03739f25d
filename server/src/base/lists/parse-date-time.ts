const shape =
  /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))?)?$/

/**
 * An ISO 8601 date (`2026-01-31`, its first instant) or date-time (seconds, fraction and zone optional; no zone is UTC)
 * as UTC with milliseconds, finer fractions cut off. Undefined for anything else and outside the years 0001 to 9999.
 */
export function parseDateTime(text: string): string | undefined {
  const match = shape.exec(text)
  if (!match) return undefined
  const [, date, time = '00:00', seconds = '00', fraction = '', sign, hours, minutes] = match
  const local = `${date}T${time}:${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
  const instant = new Date(local)
  // Date turns 30 February into 2 March and 24:00 into the next day: what does not come back unchanged is no date.
  if (Number.isNaN(instant.getTime()) || instant.toISOString() !== local) return undefined
  const offsetMinutes = sign === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes))
  const utc = new Date(instant.getTime() - offsetMinutes * 60_000).toISOString()
  // PostgreSQL has no year 0000 and writes years past 9999 in a form of its own.
  return /^\d{4}-/.test(utc) && !utc.startsWith('0000') ? utc : undefined
}
