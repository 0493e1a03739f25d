import type { SsfPollAnswer } from '@muster/contract/ssf-polls.ts'
import { type Issuer, issueTokens } from '../issue-tokens.ts'
import { listPending } from '../list-pending.ts'

type Polled = { organizationId: string; streamId: string }

/**
 * The oldest tokens of a stream that are not acknowledged, at most so many. They stay pending: what is not
 * acknowledged comes again, the same bytes, so a repeated poll writes nothing.
 */
export async function takeSets(issuer: Issuer, polled: Polled, most: number): Promise<SsfPollAnswer> {
  const pending = await listPending(issuer.db, [{ ...polled, limit: most + 1, except: [], exceptDevices: [] }])
  const issued = await issueTokens(issuer, pending.slice(0, most))
  const sets = Object.fromEntries(issued.map(({ jti, token }) => [jti, token]))
  return { sets, ...(pending.length > most && { moreAvailable: true }) }
}
