import { randomBytes } from 'node:crypto'
import { type Permission, permissions } from '@muster/contract/permissions.ts'
import { createApiKey } from '../../src/access/api-keys/create-api-key.ts'
import { systemChange } from '../../src/base/change-context.ts'
import type { Db } from '../../src/base/db/transact.ts'
import { transact } from '../../src/base/db/transact.ts'
import { openSecrets, type Secrets } from '../../src/base/secrets/secrets.ts'
import { generateKey } from '../../src/base/secrets/token-format.ts'
import { type Hooks, type MusterPlace, openPlace } from './muster-process.ts'

export type PostgresPlace = MusterPlace & {
  /** Of the first start: with every permission. */
  readonly key: string
  readonly enrollSecret: string
  /** What the processes seal with. */
  readonly secrets: Secrets
  /** Another key with every permission, and with a rate limit of its own. */
  addKey(): Promise<{ id: string; key: string }>
}

/** Processes on one PostgreSQL database; the first to start makes an organization whose devices belong to a person. */
export function openPostgresPlace(
  hooks: Hooks,
  { url, db }: { url: string | undefined; db: Db },
  settings: Record<string, string> = {},
): PostgresPlace {
  if (url === undefined) throw new Error('This place needs PostgreSQL')
  const masterKey = randomBytes(32)
  const secrets = openSecrets(masterKey)
  const key = generateKey()
  const enrollSecret = randomBytes(24).toString('base64url')
  const place = openPlace(hooks, {
    DATABASE_URL: url,
    MUSTER_MASTER_KEY: masterKey.toString('base64'),
    MUSTER_BOOTSTRAP_ORGANIZATION: 'Acme',
    MUSTER_BOOTSTRAP_API_KEY: key,
    MUSTER_BOOTSTRAP_ENROLL_SECRET: enrollSecret,
    MUSTER_BOOTSTRAP_PERSON_EMAIL: 'ada@acme.example',
    ...settings,
  })
  const granted = Object.keys(permissions) as Permission[]
  return {
    ...place,
    key,
    enrollSecret,
    secrets,
    async addKey() {
      const { id: organizationId } = await db.selectFrom('organizations').select('id').executeTakeFirstOrThrow()
      return transact(db, (tx) =>
        createApiKey(
          tx,
          secrets,
          {
            name: 'Another key',
            responsibleAdministrator: 'Ada Lovelace',
            permissions: Object.fromEntries(granted.map((permission) => [permission, 'The tests need it.'])),
          },
          systemChange(organizationId, new Date().toISOString()),
        ),
      )
    },
  }
}
