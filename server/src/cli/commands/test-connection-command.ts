import type { Reader } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { findConnectionById, type SignInConnection } from '../../sign-in/connections/connection-queries.ts'
import { findSignInAddress, issuerPath } from '../../sign-in/connections/sign-in-address.ts'
import { markOfRequest } from '../../sign-in/oidc/mark-of-request.ts'
import { aheadOf } from '../../sign-in/oidc/request-rules.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { checkConnection } from '../connections/check-connection.ts'
import { claimsOfRequest, faultsOfRequest, type RequestQuestion } from '../connections/check-request.ts'
import { judgeClock } from '../connections/judge-clock.ts'
import type { Run } from '../describe-commands.ts'
import { describeFinding, type Finding, failed, ok } from '../doctor/finding.ts'
import { organizationOf } from '../organization-of.ts'
import type { connectionGroup } from './connection-group.ts'

export const testConnection: Run<typeof connectionGroup.commands.test> = async (
  context,
  { organization, id, request },
  io,
) => {
  const { db } = context.connection
  const { id: organizationId } = await organizationOf(db, organization)
  const row = orNotFound(await findConnectionById(db, organizationId, id))
  if (request !== undefined && row.request_keys === null) {
    throw new CommandError(exitCodes.usage, 'Requests of this connection need no signature: leave out --request')
  }
  const findings = await checkConnection(context, row)
  const address = (await findSignInAddress(db, organizationId, context.config.baseUrl)) ?? ''
  const asked = { connection: row, issuer: `${address}${issuerPath}`, now: context.now }
  if (request !== undefined) findings.push(...(await judgeRequest(db, { ...asked, text: request.trim() })))
  for (const finding of findings) await io.line(describeFinding(finding))
  return findings.some(({ state }) => state === 'failed') ? exitCodes.failure : exitCodes.ok
}

async function judgeRequest(reader: Reader, question: RequestQuestion): Promise<Finding[]> {
  const claims = claimsOfRequest(question.text)
  if (!claims) return [failed('request', 'it must be a signed JWT in the compact form (RFC 7515 §7.1)')]
  const faults = await faultsOfRequest(question, claims)
  if (await isSeen(reader, question.connection, markOfRequest(claims, question.text))) {
    faults.push('it was used before: make a new one for each sign-in, with a jti of its own')
  }
  // The file was made before, so that only a clock that is ahead shows in it.
  const aheadMs = aheadOf(claims, Date.parse(question.now)) ?? 0
  const clock = aheadMs > 0 ? [judgeClock(aheadMs)] : []
  return faults.length === 0
    ? [ok('request', 'it would begin a sign-in, and is not used up'), ...clock]
    : [...faults.map((fault) => failed('request', fault)), ...clock]
}

async function isSeen(reader: Reader, { organization_id, id }: SignInConnection, mark: Buffer): Promise<boolean> {
  const row = await reader
    .selectFrom('signin_requests_seen')
    .select('seen_at')
    .where('organization_id', '=', organization_id)
    .where('connection_id', '=', id)
    .where('request_hash', '=', mark)
    .executeTakeFirst()
  return row !== undefined
}
