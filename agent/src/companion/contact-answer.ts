import type { JWK } from 'jose'
import type { Trust } from './companion-state.ts'

/** What the server answers to an enrollment and to a contact. */
export type ContactAnswer = {
  status: 'linking' | 'linked' | 'suspended'
  organization: string
  origin: string
  server_time: string
  ports: number[]
  challenge_keys: { keys: JWK[] }
  epoch: string
  link: { name: string } | null
  queries: { name: string; sql: string }[]
  next_contact_seconds: number
}

export function trustOf({ organization, origin, ports, epoch, ...answer }: ContactAnswer): Trust {
  const serverMs = Date.parse(answer.server_time)
  return {
    ...{ organization, origin, challengeKeys: answer.challenge_keys.keys, ports, epoch },
    offsetMs: serverMs - Date.now(),
    steadyOffsetMs: serverMs - performance.now(),
  }
}

/** Whether anything but the clock has changed, or the clock by more than a minute. */
export function isNews(before: Trust | undefined, now: Trust): boolean {
  if (!before || Math.abs(before.offsetMs - now.offsetMs) > 60_000) return true
  const lasting = (trust: Trust) => JSON.stringify({ ...trust, offsetMs: 0, steadyOffsetMs: 0 })
  return lasting(before) !== lasting(now)
}
