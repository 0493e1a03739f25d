import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { listNamesOfPerson } from '../connections/connection-groups.ts'
import type { OwnWords } from '../oidc/claims-rules.ts'
import type { SignInSession } from '../sessions/session-queries.ts'

type Told = Pick<SignInSession, 'organization_id' | 'person_id' | 'upstream' | 'group_ids'>

/** What Muster adds to an upstream's words: the name where it has said none, and the groups that the connection may name. */
export async function readOwnWords(reader: Reader, session: Told): Promise<OwnWords> {
  const { organization_id: organizationId, person_id: personId, upstream, group_ids: groupIds } = session
  if (!upstream?.said || personId === null) return {}
  const groups = await listNamesOfPerson(reader, organizationId, { personId, groupIds })
  if (upstream.said.name !== undefined) return { groups }
  const person = await reader
    .selectFrom('people')
    .select('name')
    .where(inOrganization('people', organizationId))
    .where('id', '=', personId)
    .executeTakeFirst()
  return { groups, ...person }
}
