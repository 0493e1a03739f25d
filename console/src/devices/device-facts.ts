import type { Device } from '@muster/contract/devices.ts'
import type { Standing } from '../components/state-shape.tsx'

const week = 7 * 24 * 60 * 60_000

const standingOf: Readonly<Record<Device['auth_state'], Standing>> = {
  Blocked: 'blocked',
  'Will Block': 'will_block',
  Notified: 'notified',
  Good: 'good',
}

/** How a device stands now: silence for a week says more than the state before it. */
export function deviceStanding({ last_seen_at: seen, auth_state: state }: Device, now: number): Standing {
  if (seen === null) return 'never'
  return now - new Date(seen).getTime() > week ? 'stale' : standingOf[state]
}

/** Whom a device is registered to; in the API an unregistered one has an owner without identifier. */
export const ownerIdOf = ({ registered_owner_info: owner }: Device): string | undefined =>
  owner === null || owner.identifier === '' ? undefined : owner.identifier
