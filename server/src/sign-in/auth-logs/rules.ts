import type { BlockingStatus, InitialStatus } from '@muster/contract/auth-logs.ts'
import { storable } from '../../base/storable.ts'
import { plusMs } from '../../base/time.ts'

/** A log that nothing happens in for so long has failed. */
const logLifeMs = 30 * 60_000

/** Steps beyond these are not written down, and keep a log open no longer. */
export const maxEvents = 200
export const maxIssues = 100

/** Longest texts in UTF-16 units: what is indexed has to fit an index entry, and a page of logs an answer. */
export const longest = { name: 500, address: 64, word: 200, userAgent: 1_000, title: 500, description: 300 } as const

export const boundedOrNull = (text: string | null | undefined, length: number): string | null =>
  text ? storable(text, length) : null

/** Logs last touched at this moment or before are over, whether or not the sweep has come by. */
export const overSince = (now: string): string => plusMs(now, -logLifeMs)

type AuthState = 'good' | 'notified' | 'will_block' | 'blocked'

/** What a device's state means at the start of a log; undefined is no device. */
export function initialStatusOf(state: AuthState | undefined): InitialStatus {
  if (state === undefined) return 'unknown'
  return state === 'blocked' || state === 'will_block' ? state : 'all_good'
}

export const blockingStatusOf = (blocksDeviceAt: string, now: string): BlockingStatus =>
  blocksDeviceAt <= now ? 'blocked' : 'will_block'
