import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader, Tx } from '../../base/db/transact.ts'
import { findEntraPersonId } from './find-entra-person.ts'
import type { SignInSession } from './session-queries.ts'
import { foldAddress } from './session-rules.ts'

/**
 * Whom a sign-in is of. Where the caller or its upstream gives an identifier of its own, the person whom it was bound to decides for good;
 * else their address, which has to name one person. People who have left are not found.
 */
export async function findPersonId(reader: Reader, session: SignInSession): Promise<string | undefined> {
  const { organization_id: organizationId, subject } = session
  const boundTo = await findBound(reader, session)
  if (boundTo !== undefined) return boundTo
  if (session.kind === 'entra') return findEntraPersonId(reader, session)
  if (subject === null) return undefined
  const address = foldAddress(subject)
  const found = await reader
    .selectFrom('people')
    .select('id')
    .where(inOrganization('people', organizationId))
    .where('deprovisioned_at', 'is', null)
    .where((build) =>
      build.or([
        build(sql<string>`lower(email collate "C")`, '=', address),
        build(sql<boolean>`${address} = any(usernames)`, '=', true),
      ]),
    )
    .limit(2)
    .execute()
  return found.length === 1 ? found[0]?.id : undefined
}

async function findBound(reader: Reader, session: SignInSession): Promise<string | undefined> {
  const { evidence, subject_id: subject } = session
  if (evidence !== 'asserted' || subject === null) return undefined
  const row = await reader
    .selectFrom('person_identities')
    .select('person_id')
    .where(inOrganization('person_identities', session.organization_id))
    .where('connection_id', '=', session.connection_id)
    .where('issuer', '=', issuerOf(session))
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row?.person_id
}

/** Who has given the identifier: the upstream, or the caller itself. */
const issuerOf = ({ subject_issuer: upstream, client_id: caller }: SignInSession): string => upstream ?? caller

/** Binds the caller's own identifier to the person whom it came with at its first contact. */
export async function bindIdentity(tx: Tx, session: SignInSession, personId: string, now: string): Promise<void> {
  const { evidence, subject_id: subject } = session
  if (evidence !== 'asserted' || subject === null) return
  await tx
    .insertInto('person_identities')
    .values({
      organization_id: session.organization_id,
      connection_id: session.connection_id,
      issuer: issuerOf(session),
      subject,
      person_id: personId,
      bound_at: now,
    })
    .onConflict((conflict) => conflict.constraint('person_identities_pkey').doNothing())
    .execute()
}
