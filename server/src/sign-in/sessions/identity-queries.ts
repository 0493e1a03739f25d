import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

type Asked = { organizationId: string; personId: string }

/** More accounts than these are not shown; all of them are forgotten. */
const maxShown = 100

/** The accounts at identity providers that are a person's, the latest bound first. Undefined when there is no such person. */
export async function listIdentities(reader: Reader, { organizationId, personId }: Asked) {
  const person = await reader
    .selectFrom('people')
    .select('id')
    .where(inOrganization('people', organizationId))
    .where('id', '=', personId)
    .executeTakeFirst()
  return person && listBound(reader, { organizationId, personId })
}

const listBound = (reader: Reader, { organizationId, personId }: Asked) =>
  reader
    .selectFrom('person_identities')
    .innerJoin('signin_connections as connection', (join) =>
      join
        .onRef('connection.organization_id', '=', 'person_identities.organization_id')
        .onRef('connection.id', '=', 'person_identities.connection_id'),
    )
    .select(['person_identities.issuer', 'connection.name as connection_name', 'person_identities.bound_at'])
    .where(inOrganization('person_identities', organizationId))
    .where('person_identities.person_id', '=', personId)
    .orderBy('person_identities.bound_at', 'desc')
    .orderBy('person_identities.connection_id')
    .orderBy('person_identities.issuer', (order) => order.collate('C'))
    .orderBy('person_identities.subject', (order) => order.collate('C'))
    .limit(maxShown)
    .execute()
