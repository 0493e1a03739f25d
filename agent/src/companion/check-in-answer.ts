import type { JWK } from 'jose'
import type { CheckedIn, Trust } from './companion-state.ts'

/** What the server answers to an enrollment and to a check-in. */
export type CheckInAnswer = {
  status: CheckedIn['status']
  organization: string
  origin: string
  server_time: string
  ports: number[]
  challenge_keys: { keys: JWK[] }
  epoch: string
  link: { by: 'file'; name: string } | { by: 'node_key' } | null
  queries: { name: string; sql: string }[]
  next_check_in_seconds: number
}

export const trustOf = ({ organization, origin, ports, epoch, challenge_keys: { keys } }: CheckInAnswer): Trust => ({
  ...{ organization, origin, challengeKeys: keys, ports, epoch },
})
