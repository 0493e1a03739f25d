import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { type Actor, recordAudit } from '../../signals/audit/record-audit.ts'
import { findApiKey } from './queries.ts'
import { sealingPlace } from './sealing-place.ts'

type Reveal = { organizationId: string; id: string; actor: Actor; now: string }

/** The key in plain text, for administrators with full access; not revealed unless that is written down. */
export async function revealApiKey(tx: Tx, secrets: Secrets, asked: Reveal): Promise<string> {
  const { organizationId, id, actor, now } = asked
  const { name, sealed_key } = orNotFound(await findApiKey(tx, organizationId, id))
  await recordAudit(tx, {
    organizationId,
    actor,
    about: { api_key: id },
    description: `Revealed the API key "${name}".`,
    now,
  })
  return secrets.unseal(sealed_key, sealingPlace(organizationId, id)).toString('utf8')
}
