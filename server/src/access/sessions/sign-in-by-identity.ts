import { sql } from 'kysely'
import type { Browser } from '../../base/callers.ts'
import { newChange } from '../../base/change-context.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { plusMs } from '../../base/time.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { endEarlierSession } from './end-earlier-session.ts'
import type { Identity } from './oidc-provider.ts'
import { type Account, findAccounts } from './queries.ts'
import { stepUpMs } from './rules.ts'
import { startSession } from './start-session.ts'

type Asked = Browser & { identity: Identity; provider: string; organization?: string | undefined; now: string }

/**
 * Signs in whom an identity provider vouches for. The first time the verified address says who it is; from then on the
 * provider's own identifier does, so that an address given to someone else opens nothing. Undefined for nobody known.
 */
export function signInByIdentity(db: Db, secrets: Secrets, asked: Asked): Promise<string | undefined> {
  const { identity, provider, source, userAgent, now } = asked
  return transact(db, async (tx) => {
    const known = await findByIdentity(tx, asked)
    const account = known.length > 0 ? only(known) : await bindByAddress(tx, asked)
    if (!account) return undefined
    const { organization_id: organizationId, id: adminUserId, email } = account
    const session = { organizationId, adminUserId, method: 'oidc', source, userAgent, now } as const
    await endEarlierSession(tx, secrets, asked)
    const secret = await startSession(tx, secrets, { ...session, verifiedAt: verifiedAt(identity, now) })
    const name = `${account.first_name} ${account.last_name}`.trim()
    const actor = { type: 'User', id: adminUserId, name, email, source } as const
    const first = known.length > 0 ? '' : ', for the first time'
    const description = `Signed in to the console through the identity provider "${provider}"${first}.`
    await recordAudit(
      tx,
      { action: 'administrator.signed_in', about: { administrator: adminUserId }, description },
      newChange(actor, organizationId, now),
    )
    return secret
  })
}

/** A provider that remembers someone from this morning proves nothing now. */
function verifiedAt({ authenticatedAt }: Identity, now: string): string {
  if (authenticatedAt === undefined) return plusMs(now, -stepUpMs)
  return authenticatedAt < now ? authenticatedAt : now
}

type Found = Pick<Account, 'organization_id' | 'id' | 'first_name' | 'last_name' | 'email'>

const only = <T>(found: readonly T[]): T | undefined => (found.length === 1 ? found[0] : undefined)

const findByIdentity = (tx: Tx, { identity, organization }: Asked): Promise<Found[]> =>
  tx
    .selectFrom('admin_identities')
    .innerJoin('admin_users', (join) =>
      join
        .onRef('admin_users.organization_id', '=', 'admin_identities.organization_id')
        .onRef('admin_users.id', '=', 'admin_identities.admin_user_id'),
    )
    .innerJoin('organizations', 'organizations.id', 'admin_identities.organization_id')
    .select([
      'admin_users.organization_id',
      'admin_users.id',
      'admin_users.first_name',
      'admin_users.last_name',
      'admin_users.email',
    ])
    .where('admin_identities.issuer', '=', identity.issuer)
    .where('admin_identities.subject', '=', identity.subject)
    .$if(organization !== undefined, (query) =>
      query.where((is) =>
        is.or([
          is(sql<string>`organizations.id::text`, '=', organization ?? ''),
          is('organizations.name', '=', organization ?? ''),
        ]),
      ),
    )
    .limit(2)
    .execute()

async function bindByAddress(tx: Tx, { identity, organization, now }: Asked): Promise<Found | undefined> {
  const { issuer, subject, verifiedEmail: email } = identity
  if (email === undefined) return undefined
  const account = only(await findAccounts(tx, { email, organization }))
  if (!account || !isSameAddress(account.email, email)) return undefined
  const bound = await tx
    .insertInto('admin_identities')
    .values({
      organization_id: account.organization_id,
      admin_user_id: account.id,
      issuer,
      subject,
      created_at: now,
    })
    // Someone else at the provider has had this address before.
    .onConflict((conflict) => conflict.doNothing())
    .returning('admin_user_id')
    .executeTakeFirst()
  return bound && account
}

/** Stricter than addresses are looked up: whoever a provider gave the wide form of a letter is not who has the letter. */
const isSameAddress = (one: string, other: string): boolean => caseMapped(one) === caseMapped(other)

const caseMapped = (email: string): string => email.normalize('NFC').toLowerCase()
