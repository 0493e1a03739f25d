import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { authorizationReader } from './authorization-header.ts'
import { lockStream } from './queries.ts'

type Reveal = {
  /** `id` or `stream_id`. */
  reference: string
}

/** The authorization header of a stream in plain text, null where it has none; not revealed unless that is written down. */
export async function revealAuthorization(
  tx: Tx,
  secrets: Secrets,
  { reference }: Reveal,
  context: ChangeContext,
): Promise<string | null> {
  const stream = orNotFound(await lockStream(tx, context.organizationId, reference))
  const value = authorizationReader(secrets)(stream)
  if (value === null) return null
  const description = `Revealed the authorization header of the stream "${stream.name}".`
  await recordAudit(tx, { action: 'stream.authorization_revealed', about: { stream: stream.id }, description }, context)
  return value
}
