import { equalsFolded } from '../../base/db/folded.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader, Tx } from '../../base/db/transact.ts'
import { lockPerson } from '../../inventory/people/lock-person.ts'
import { findEntraPersonId } from './find-entra-person.ts'
import type { SignInSession } from './session-queries.ts'
import { foldAddress } from './session-rules.ts'

/** Who signs in: whom the sign-in is bound to, else whom it would be bound to now. */
export const personIdOf = async (reader: Reader, session: SignInSession): Promise<string | null> =>
  session.person_id ?? (await findPersonId(reader, session)) ?? null

/**
 * Whom a sign-in is of. Where an upstream or Microsoft Entra gives an identifier of its own, the person whom it was bound to
 * decides for good; else their address, which has to name one person. An address whose person has another identifier there was
 * given to someone else, and names nobody. People who have left are not found.
 */
async function findPersonId(reader: Reader, session: SignInSession): Promise<string | undefined> {
  const { organization_id: organizationId, subject } = session
  const boundTo = await findBound(reader, session)
  if (boundTo !== undefined) return boundTo
  if (session.kind === 'entra') return findEntraPersonId(reader, session)
  if (subject === null) return undefined
  const found = (await listPeopleOfAddress(reader, organizationId, subject)).filter(({ isHere }) => isHere)
  const [person] = found
  if (found.length !== 1 || !person) return undefined
  return (await hasOtherAccount(reader, session, person.id)) ? undefined : person.id
}

/**
 * The people of an address, those who have left too. An index finds all whose addresses are alike by width as well; of these
 * count those whose address is the same without that.
 */
export async function listPeopleOfAddress(
  reader: Reader,
  organizationId: string,
  address: string,
): Promise<{ id: string; isHere: boolean }[]> {
  const rows = await reader
    .selectFrom('people')
    .select(['id', 'email', 'deprovisioned_at'])
    .where(inOrganization('people', organizationId))
    .where(equalsFolded('email', address.trim()))
    .orderBy('id')
    .limit(maxAlike)
    .execute()
  return rows
    .filter(({ email }) => foldAddress(email) === foldAddress(address))
    .map(({ id, deprovisioned_at: leftAt }) => ({ id, isHere: leftAt === null }))
}

/** Addresses that are alike by width, case and composition: more of them name nobody. */
const maxAlike = 50

/** Whom an identifier was bound to, at this connection or at another one of the same issuer. */
async function findBound(reader: Reader, session: SignInSession): Promise<string | undefined> {
  const { subject_id: subject } = session
  if (subject === null) return undefined
  const row = await reader
    .selectFrom('person_identities')
    .select('person_id')
    .where(inOrganization('person_identities', session.organization_id))
    .where('issuer', '=', issuerOf(session))
    .where('subject', '=', subject)
    .orderBy((build) => build('connection_id', '=', session.connection_id), 'desc')
    .orderBy('bound_at')
    .orderBy('connection_id')
    .limit(1)
    .executeTakeFirst()
  return row?.person_id
}

/** Whether the provider of a sign-in knows the person by another identifier than this one. */
export async function hasOtherAccount(reader: Reader, session: SignInSession, personId: string): Promise<boolean> {
  const { organization_id: organizationId, subject_id: subject } = session
  if (subject === null) return false
  const row = await reader
    .selectFrom('person_identities')
    .select('person_id')
    .where(inOrganization('person_identities', organizationId))
    .where('person_id', '=', personId)
    .where('issuer', '=', issuerOf(session))
    .where('subject', '<>', subject)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Holds the person of a sign-in that is about to bind an account to them: of two accounts with one address that arrive first
 * at once, the second is looked up when the first is bound.
 */
export async function lockFirstContact(tx: Tx, session: SignInSession): Promise<void> {
  const { organization_id: organizationId, person_id: knownId, subject_id: subject, is_test: isTest } = session
  if (knownId !== null || subject === null || isTest) return
  const personId = await findPersonId(tx, session)
  if (personId !== undefined) await lockPerson(tx, organizationId, personId)
}

/** Who has given the identifier. */
const issuerOf = ({ subject_issuer: upstream, client_id: caller }: SignInSession): string => upstream ?? caller

/** Binds the identifier of an upstream or of Entra to the person whom it came with at its first contact. */
export async function bindIdentity(tx: Tx, session: SignInSession, personId: string, now: string): Promise<void> {
  const { subject_id: subject } = session
  if (subject === null) return
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
