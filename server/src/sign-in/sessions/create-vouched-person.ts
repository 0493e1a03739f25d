import { newChange, type Occasion, systemActorAt } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { UpstreamClaims } from '../../base/db/schema.ts'
import type { Tx } from '../../base/db/transact.ts'
import { addPerson, lockPersonByEmail } from '../../inventory/people/add-person.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { personIdOf } from './find-person.ts'
import type { SignInSession } from './session-queries.ts'

type Vouched = { upstreamId: string; address: string; said: UpstreamClaims }

/**
 * Adds the person whom an upstream vouches for where nobody knows them and the upstream may. Whoever has left, or had the
 * identifier before, is not brought back.
 */
export async function createVouchedPerson(
  tx: Tx,
  session: SignInSession,
  { upstreamId, address, said }: Vouched,
  { now, ...cause }: Occasion,
): Promise<void> {
  const { organization_id: organizationId, ip_address: ipAddress } = session
  if ((await personIdOf(tx, session)) !== null) return
  // Of two first sign-ins at once the second waits here, and finds the person.
  const upstream = await tx
    .selectFrom('signin_upstreams')
    .select(['name', 'creates_people'])
    .where(inOrganization('signin_upstreams', organizationId))
    .where('id', '=', upstreamId)
    .forUpdate()
    .executeTakeFirst()
  if (!upstream?.creates_people) return
  if (await lockPersonByEmail(tx, organizationId, address)) return
  const name = said.name ?? address
  const id = await addPerson(tx, { organizationId, name, email: address, now })
  const description = `Added the person "${name}" (${address}) at their first sign-in through "${upstream.name}".`
  const change = newChange(systemActorAt({ ...cause, ipAddress }), organizationId, now)
  await recordAudit(tx, { action: 'person.created', about: { person: id }, description }, change)
}
