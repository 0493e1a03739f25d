import { type SqlBool, sql } from 'kysely'
import { equalsFolded } from '../../base/db/folded.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { SignInSession } from './session-queries.ts'
import { foldAddress } from './session-rules.ts'

const guid = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'

/**
 * Whom Microsoft Entra means at their first contact: the person that its directory was synchronized with, by the object ID
 * that is their SCIM `externalId`; else the one with that user name. A user name that has come to someone else names nobody:
 * one whose person is known under another object ID, from SCIM or from a sign-in.
 */
export async function findEntraPersonId(reader: Reader, session: SignInSession): Promise<string | undefined> {
  const { organization_id: organizationId, subject_id: oid, subject } = session
  if (oid === null) return undefined
  const people = reader
    .selectFrom('people')
    .leftJoin('scim_users as scim', (join) =>
      join
        .onRef('scim.organization_id', '=', 'people.organization_id')
        .onRef('scim.person_id', '=', 'people.id')
        .on('scim.deleted_at', 'is', null),
    )
    .select('people.id')
    .where(inOrganization('people', organizationId))
    .where('people.deprovisioned_at', 'is', null)
  const synchronized = await people.where('scim.external_id', '=', oid).limit(2).execute()
  if (synchronized.length > 0) return synchronized.length === 1 ? synchronized[0]?.id : undefined
  if (subject === null) return undefined
  const address = foldAddress(subject)
  const named = await people
    .where((build) =>
      build.or([
        equalsFolded('people.email', address),
        build(sql<boolean>`${address} = any(people.usernames)`, '=', true),
      ]),
    )
    .where(sql<SqlBool>`(scim.external_id is null or scim.external_id !~ ${guid})`)
    .where((build) =>
      build.not(
        build.exists(
          build
            .selectFrom('person_identities as bound')
            .select('bound.person_id')
            .whereRef('bound.organization_id', '=', 'people.organization_id')
            .whereRef('bound.person_id', '=', 'people.id')
            .where('bound.issuer', '=', session.subject_issuer ?? ''),
        ),
      ),
    )
    .limit(2)
    .execute()
  return named.length === 1 ? named[0]?.id : undefined
}
