import { columns, type Row, type Table } from '../tables/table.ts'
import { readLine } from './read-files.ts'

/** The clock's row in UTC, as an osqueryd with --utc. */
export function timeRow(now: Date, localTimezone: string): Row {
  const iso = now.toISOString()
  const weekday = now.toLocaleDateString('en-US', { weekday: 'long', timeZone: 'UTC' })
  return {
    weekday,
    year: now.getUTCFullYear(),
    month: now.getUTCMonth() + 1,
    day: now.getUTCDate(),
    hour: now.getUTCHours(),
    minutes: now.getUTCMinutes(),
    seconds: now.getUTCSeconds(),
    timezone: 'UTC',
    local_timezone: localTimezone,
    unix_time: Math.floor(now.getTime() / 1000),
    timestamp: asctime(now),
    datetime: `${iso.slice(0, 19)}Z`,
    iso_8601: `${iso.slice(0, 19)}Z`,
  }
}

/** C's asctime with the zone, as osquery's calendarTime: `Tue Oct 14 10:00:00 2025 UTC`. */
export function asctime(now: Date): string {
  const [weekday = '', day = '', month = '', year = '', time = ''] = now.toUTCString().replace(',', '').split(' ')
  return `${weekday} ${month} ${String(Number(day)).padStart(2, ' ')} ${time} ${year} UTC`
}

export const time: Table = {
  name: 'time',
  columns: columns(`weekday year:integer month:integer day:integer hour:integer minutes:integer seconds:integer timezone
    local_timezone unix_time:integer timestamp datetime iso_8601`),
  *collect(_constraints, query) {
    yield timeRow(query.now, Intl.DateTimeFormat().resolvedOptions().timeZone)
  },
}

export const uptime: Table = {
  name: 'uptime',
  columns: columns('days:integer hours:integer minutes:integer seconds:integer total_seconds:bigint'),
  *collect() {
    const total = Math.floor(Number(readLine('/proc/uptime').split(' ')[0]))
    yield {
      days: Math.floor(total / 86_400),
      hours: Math.floor(total / 3_600) % 24,
      minutes: Math.floor(total / 60) % 60,
      seconds: total % 60,
      total_seconds: total,
    }
  },
}
