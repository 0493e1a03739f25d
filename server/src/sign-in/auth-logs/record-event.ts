import type { AuthLogEventType } from '@muster/contract/auth-logs.ts'
import type { Tx } from '../../base/db/transact.ts'
import { storable } from '../../base/storable.ts'
import { longest } from './rules.ts'
import { type Step, touchSession } from './touch-session.ts'
import { writeEvent } from './write-event.ts'

/** `sign_in_success` is recorded by `finishSession`. */
type RecordedEvent = Step & { type: Exclude<AuthLogEventType, 'sign_in_success'>; description: string }

/** Writes down a step of signing in. False when the session is over, or has as many events as are kept. */
export async function recordEvent(tx: Tx, { type, description, ...step }: RecordedEvent): Promise<boolean> {
  const open = await touchSession(tx, step, { isEvent: true })
  if (!open) return false
  const text = storable(description, longest.description)
  await writeEvent(tx, { ...step, position: open.events_count, type, description: text })
  return true
}
