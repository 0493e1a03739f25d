import fs from 'node:fs'
import type { TransactionStatus } from './messages.ts'

export type FreeSpaceGuard = {
  /** Call before each statement; returns why writes are refused now, or undefined. */
  check(status: TransactionStatus): string | undefined
}

const megabytes = (bytes: number) => `${Math.floor(bytes / 2 ** 20)} MB`

/**
 * A full disk stops the engine in the middle of its write-ahead log, where it hangs. So below `minimumFreeBytes` the
 * session is made read-only, which the database itself enforces for every kind of write, and above it writable again.
 */
export function freeSpaceGuard(
  folder: string,
  minimumFreeBytes: number,
  execute: (sql: string) => void,
): FreeSpaceGuard {
  let isLow = false
  return {
    check(status) {
      const { bavail, bsize } = fs.statfsSync(folder)
      const wasLow = isLow
      isLow = bavail * bsize < minimumFreeBytes
      if (isLow !== wasLow) execute(`set default_transaction_read_only = ${isLow ? 'on' : 'off'}`)
      if (!isLow) return undefined
      if (status === 'T') execute('set transaction_read_only = on')
      return (
        `Only ${megabytes(bavail * bsize)} are free in ${folder}: writes are refused below ` +
        `${megabytes(minimumFreeBytes)} and resume when there is room`
      )
    },
  }
}
