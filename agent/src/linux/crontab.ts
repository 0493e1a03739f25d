import { columns, type Row, type Table } from '../tables/table.ts'
import { listDirectory, readText } from './read-files.ts'

/** One line of a crontab(5); undefined for comments, assignments and empty lines. */
export function crontabRow(line: string): Row | undefined {
  const trimmed = line.trim()
  if (trimmed === '' || trimmed.startsWith('#') || /^\w+\s*=/.test(trimmed)) return undefined
  const [, event, eventCommand] = /^@(\w+)\s+(.*)$/.exec(trimmed) ?? []
  if (event) {
    return {
      event: `@${event}`,
      minute: '',
      hour: '',
      day_of_month: '',
      month: '',
      day_of_week: '',
      command: eventCommand,
    }
  }
  const [minute, hour, day, month, weekday, ...command] = trimmed.split(/\s+/)
  if (command.length === 0) return undefined
  return { event: '', minute, hour, day_of_month: day, month, day_of_week: weekday, command: command.join(' ') }
}

/** A spool that does not exist is no crontab; one that this user may not list is "not collected". */
const folders = ['/etc/cron.d', '/var/spool/cron/crontabs', '/var/spool/cron']

export const crontab: Table = {
  name: 'crontab',
  columns: columns('event minute hour day_of_month month day_of_week command path'),
  *collect() {
    const files = folders.flatMap((folder) => listDirectory(folder).map((name) => `${folder}/${name}`))
    for (const path of ['/etc/crontab', ...files]) {
      for (const line of (readText(path) ?? '').split('\n')) {
        const row = crontabRow(line)
        if (row) yield { ...row, path }
      }
    }
  },
}
