import { createLocalJWKSet, jwtVerify } from 'jose'
import { publishedSet } from '../../keys/signing-keys.ts'
import type { Issuer } from '../../signals/streams/issue-tokens.ts'
import { addTokens } from '../../signals/streams/ledger/add-tokens.ts'
import type { LedgerRow } from '../../signals/streams/ledger/queries.ts'
import { listIssuers, type Stream } from '../../signals/streams/queries.ts'
import { streamIssuer } from '../../signals/streams/stream-issuer.ts'
import { plainText } from '../table.ts'

export type VerifiedEvent = { row: LedgerRow; claims: Record<string, unknown> | null; fault: string | null }

/** Verifies the tokens of entries as a receiver of their day would have, by the keys that were published then. */
export async function verifyEvents(
  { db, signer, baseUrl: commonBaseUrl }: Pick<Issuer, 'db' | 'signer' | 'baseUrl'>,
  stream: Stream,
  found: readonly LedgerRow[],
): Promise<VerifiedEvent[]> {
  const rows = await addTokens(signer, found)
  const oldest = rows.flatMap(({ issued_at: at }) => at ?? []).sort()[0]
  if (oldest === undefined) return rows.map((row) => ({ row, claims: null, fault: null }))
  const keys = createLocalJWKSet({
    keys: await publishedSet(db, { organizationId: stream.organization_id, purpose: 'signals' }, oldest),
  })
  const issuer = [streamIssuer(stream.issuer, commonBaseUrl).issuer, ...(await listIssuers(db, stream))]
  return Promise.all(
    rows.map(async (row) => {
      if (row.token === null) return { row, claims: null, fault: null }
      const rules = { issuer, typ: 'secevent+jwt', algorithms: ['RS256'] }
      return jwtVerify(row.token, keys, rules).then(
        ({ payload: claims }) => ({ row, claims, fault: null }),
        (error) => ({ row, claims: null, fault: String(error.message) }),
      )
    }),
  )
}

/** One line for people. Names and receivers' answers are others' text, and cannot steer the terminal. */
export function describeEvent({ name }: Stream, { row, fault }: VerifiedEvent): string {
  const { current_status: current, previous_status: previous } = row.event
  const parts = [
    row.queued_at,
    `"${name}"`,
    row.sequence === null ? 'not numbered' : `#${row.sequence}`,
    row.kind,
    current === undefined ? null : `${previous} → ${current}`,
    row.device_id === null ? null : `device ${row.device_id}`,
    row.user_email,
    row.state,
    describeAttempt(row),
    fault === null ? null : `NOT VERIFIED: ${fault}`,
  ]
  return plainText(parts.filter((part) => part !== null).join('  '))
}

function describeAttempt({ latest_attempts: [attempt], error_code: code }: LedgerRow): string | null {
  if (!attempt) return code
  const outcome = [attempt.error ?? attempt.status, code].filter((part) => part !== null).join(', ')
  return `(${outcome}; ${attempt.duration_ms} ms)`
}

export const eventAsJson = ({ stream_id, name }: Stream, { row, claims, fault }: VerifiedEvent): string => {
  const { sequence, jti, kind, state, queued_at, settled_at, attempts, latest_attempts: latest } = row
  const standing = { state, queued_at, settled_at, attempts, last_attempt: latest[0] ?? null }
  return JSON.stringify({ stream_id, name, sequence, jti, kind, ...standing, claims, fault })
}
