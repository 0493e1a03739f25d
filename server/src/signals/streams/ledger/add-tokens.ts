import { claimsOf } from '../build-claims.ts'
import type { TokenSigner } from '../token-signer.ts'
import type { LedgerRow, SaidRow } from './queries.ts'

/** Rows with what their tokens say. A token that is not kept is left out: see `addTokens`. */
export const addClaims = <Row extends LedgerRow>(rows: readonly Row[]): (Row & SaidRow)[] =>
  rows.map((row) => ({ ...row, claims: row.token === null ? claimsOfRow(row) : claimsIn(row.token) }))

/** The same, each token signed as it was when it was sent; null once its key is gone. */
export const addTokens = <Row extends LedgerRow>(
  signer: TokenSigner,
  rows: readonly Row[],
): Promise<(Row & SaidRow)[]> =>
  Promise.all(
    addClaims(rows).map(async (row) => {
      const { token, kid, claims, is_key_gone: isGone, organization_id: organizationId, jti } = row
      if (token !== null || kid === null || claims === null || isGone) return row
      return { ...row, token: await signer.signAgain({ organizationId, kid, jti }, () => claims) }
    }),
  )

/** In the order in which they were signed. */
const claimsIn = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

function claimsOfRow(row: LedgerRow): Record<string, unknown> | null {
  const { said_issuer: issuer, said_audience: audience, said_spec_version: specVersion, issued_at: issuedAt } = row
  const {
    said_device_subject_format: deviceSubjectFormat,
    organization_id: organizationId,
    jti,
    kind,
    event,
    txn,
  } = row
  if (issuer === null || audience === null || specVersion === null || deviceSubjectFormat === null) return null
  const facts = { kind, organizationId, deviceId: row.device_id, userEmail: row.user_email, event, txn }
  const stream = { streamId: row.stream_uuid, specVersion, deviceSubjectFormat, audience }
  return claimsOf(facts, stream, { issuer, jti, issuedAtMs: Date.parse(issuedAt ?? row.queued_at) })
}
