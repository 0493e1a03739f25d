import { columns, type Row, type Table } from '../tables/table.ts'
import { readLine, readText } from './read-files.ts'

export const loadAverage: Table = {
  name: 'load_average',
  columns: columns('period average'),
  *collect() {
    const [one, five, fifteen] = readLine('/proc/loadavg').split(' ')
    yield* [
      { period: '1m', average: one },
      { period: '5m', average: five },
      { period: '15m', average: fifteen },
    ]
  },
}

const memoryFields = {
  memory_total: 'MemTotal',
  memory_free: 'MemFree',
  memory_available: 'MemAvailable',
  buffers: 'Buffers',
  cached: 'Cached',
  swap_cached: 'SwapCached',
  active: 'Active',
  inactive: 'Inactive',
  swap_total: 'SwapTotal',
  swap_free: 'SwapFree',
}

export const memoryInfo: Table = {
  name: 'memory_info',
  columns: columns(
    Object.keys(memoryFields)
      .map((name) => `${name}:bigint`)
      .join(' '),
  ),
  *collect() {
    const text = readText('/proc/meminfo') ?? ''
    const row: Row = {}
    for (const [column, field] of Object.entries(memoryFields)) {
      row[column] = BigInt(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024n
    }
    yield row
  },
}
