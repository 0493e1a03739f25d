import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { findApiKey } from './queries.ts'
import { sealingPlace } from './sealing-place.ts'

type Reveal = { id: string }

/** The key in plain text, for administrators with full access; not revealed unless that is written down. */
export async function revealApiKey(tx: Tx, secrets: Secrets, asked: Reveal, context: ChangeContext): Promise<string> {
  const { organizationId } = context
  const { id } = asked
  const { name, sealed_key } = orNotFound(await findApiKey(tx, organizationId, id))
  await recordAudit(
    tx,
    { action: 'api_key.revealed', about: { api_key: id }, description: `Revealed the API key "${name}".` },
    context,
  )
  return secrets.unseal(sealed_key, sealingPlace(organizationId, id)).toString('utf8')
}
