import { hostname } from 'node:os'
import { type Permission, permissions } from '@muster/contract/permissions.ts'
import { addAdminUser } from './access/administrators/add-admin-user.ts'
import { createApiKey } from './access/api-keys/create-api-key.ts'
import { hashPassword } from './access/sessions/passwords.ts'
import { faultOfCommonPassword } from './access/sessions/refuse-password.ts'
import { setPassword } from './access/sessions/set-password.ts'
import { createEnrollmentSecret } from './agents/protocol/create-enrollment-secret.ts'
import { systemActor, systemChange } from './base/change-context.ts'
import { ConfigError } from './base/config/config-error.ts'
import type { Bootstrap } from './base/config/load-config.ts'
import { type Db, type Tx, transact } from './base/db/transact.ts'
import { operatingUser } from './base/operating-user.ts'
import type { Secrets } from './base/secrets/secrets.ts'
import { enableCatalogue } from './checks/definitions/enable-catalogue.ts'
import { createOrganization } from './inventory/organizations/create-organization.ts'
import { addPerson } from './inventory/people/add-person.ts'

/** What the first start made and only now can show. */
export type FirstStart = {
  organizationId: string
  apiKey: { id: string; key: string } | undefined
  enrollSecret: string | undefined
}

const automatic = 'automation'

/**
 * Makes the organization that the settings name, once: later calls and databases that hold an organization return
 * undefined. The key and the enrollment secret come from the settings; a trial is given a read-only key and a secret
 * bound to the user who runs it.
 */
export async function firstStart(
  db: Db,
  secrets: Secrets,
  bootstrap: Bootstrap,
  { isTrial, now }: { isTrial: boolean; now: string },
): Promise<FirstStart | undefined> {
  const name = bootstrap.organization ?? (isTrial ? 'My organization' : undefined)
  if (name === undefined) return undefined
  const passwordHash = await hashOfFirstPassword(db, secrets, bootstrap.adminPassword)
  return transact(db, async (tx) => {
    // The one row of the installation makes two processes that start at once take turns.
    await tx.selectFrom('installation').select('singleton').forUpdate().execute()
    const existing = await tx.selectFrom('organizations').select('id').limit(1).executeTakeFirst()
    if (existing) return undefined
    const { id: organizationId } = await createOrganization(tx, { name, actor: systemActor, now })
    await enableCatalogue(tx, systemChange(organizationId, now))
    await addFirstAdmin(tx, organizationId, bootstrap.adminEmail, passwordHash, now)
    const personId = await addFirstPerson(tx, organizationId, bootstrap.personEmail, isTrial, now)
    const apiKey = await addFirstKey(tx, secrets, organizationId, bootstrap.apiKey, isTrial, now)
    const enrollSecret =
      bootstrap.enrollSecret !== undefined || isTrial
        ? await createEnrollmentSecret(
            tx,
            secrets,
            {
              name: isTrial ? 'This machine' : automatic,
              ...(personId !== undefined && { personId }),
              ...(bootstrap.enrollSecret !== undefined && { secret: bootstrap.enrollSecret }),
            },
            systemChange(organizationId, now),
          )
        : undefined
    return { organizationId, apiKey, enrollSecret: enrollSecret?.secret }
  })
}

/** Only where it will be used: it takes time, which does not belong in a transaction. */
async function hashOfFirstPassword(db: Db, secrets: Secrets, password: string | undefined) {
  if (password === undefined) return undefined
  const existing = await db.selectFrom('organizations').select('id').limit(1).executeTakeFirst()
  if (existing) return undefined
  const message = await faultOfCommonPassword(password)
  if (message !== undefined) throw new ConfigError([{ name: 'MUSTER_BOOTSTRAP_ADMIN_PASSWORD', message }])
  return hashPassword(secrets, password)
}

/** Known by the address alone; its name can only come later. */
async function addFirstAdmin(
  tx: Tx,
  organizationId: string,
  email: string | undefined,
  passwordHash: string | undefined,
  now: string,
): Promise<void> {
  if (email === undefined) return
  const name = { firstName: email.slice(0, Math.min(email.lastIndexOf('@'), 200)), lastName: '' }
  const admin = { ...name, email, access: 'full', restrictions: [] } as const
  const adminUserId = await addAdminUser(tx, admin, systemChange(organizationId, now))
  if (passwordHash !== undefined) await setPassword(tx, { organizationId, adminUserId, passwordHash, now })
}

async function addFirstPerson(
  tx: Tx,
  organizationId: string,
  email: string | undefined,
  isTrial: boolean,
  now: string,
) {
  if (email !== undefined) return addPerson(tx, { organizationId, name: email, email, now })
  if (!isTrial) return undefined
  const username = operatingUser()
  return addPerson(tx, {
    organizationId,
    name: username,
    email: `${username}@${hostname()}`,
    usernames: [username],
    now,
  })
}

async function addFirstKey(
  tx: Tx,
  secrets: Secrets,
  organizationId: string,
  key: string | undefined,
  isTrial: boolean,
  now: string,
): Promise<{ id: string; key: string } | undefined> {
  if (key === undefined && !isTrial) return undefined
  const granted = key === undefined ? [] : (Object.keys(permissions) as Permission[])
  const made = await createApiKey(
    tx,
    secrets,
    {
      name: key === undefined ? 'Trial, read only' : automatic,
      responsibleAdministrator: key === undefined ? operatingUser() : automatic,
      permissions: Object.fromEntries(
        granted.map((permission) => [permission, 'Made at the first start from the settings.']),
      ),
      ...(key === undefined ? {} : { key }),
    },
    systemChange(organizationId, now),
  )
  return made
}
