import { randomUUID } from 'node:crypto'
import { inOrganization } from '../../src/base/db/in-organization.ts'
import { type Tx, transact } from '../../src/base/db/transact.ts'
import { beginAuthLog, type NewAuthLog } from '../../src/sign-in/auth-logs/begin-auth-log.ts'
import { endAuthLog } from '../../src/sign-in/auth-logs/end-auth-log.ts'
import { recognizeDevice } from '../../src/sign-in/auth-logs/recognize-device.ts'
import { recordAuthLogEvent } from '../../src/sign-in/auth-logs/record-auth-log-event.ts'
import { showIssues } from '../../src/sign-in/auth-logs/show-issues.ts'
import type { TestApp } from './app.ts'

type EventType = Parameters<typeof recordAuthLogEvent>[1]['type']

type BegunAuthLog = Partial<Omit<NewAuthLog, 'person' | 'vouched'>> & {
  personId?: string
  deviceId?: string
  now: string
}

/** Whom a log is about that names no person. */
export const vouched = { name: 'Grace Hopper', email: 'grace@partner.example' }

const findPerson = (tx: Tx, organizationId: string, id: string) =>
  tx
    .selectFrom('people')
    .select(['id', 'name', 'email'])
    .where(inOrganization('people', organizationId))
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

const findDevice = (tx: Tx, organizationId: string, id: string) =>
  tx
    .selectFrom('devices')
    .select(['id', 'name', 'agent_version', 'auth_state'])
    .where(inOrganization('devices', organizationId))
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

/** The commands of signing in for the organization of the app, each in a transaction of its own. */
export function signInSteps(app: TestApp) {
  const inTransaction = <T>(work: (tx: Tx, organizationId: string) => Promise<T>): Promise<T> =>
    transact(app.db, (tx) => work(tx, app.tenant.organizationId))
  return {
    start: ({ personId, deviceId, ...log }: BegunAuthLog) =>
      inTransaction(async (tx, organizationId) =>
        beginAuthLog(tx, {
          organizationId,
          ...(personId === undefined ? { vouched } : { person: await findPerson(tx, organizationId, personId) }),
          ...(deviceId !== undefined && { device: await findDevice(tx, organizationId, deviceId) }),
          ipAddress: '198.51.100.24',
          browser: { name: 'Firefox', version: '145.0', userAgent: 'Mozilla/5.0 Firefox/145.0' },
          ...log,
        }),
      ),
    record: (authLogId: string, type: EventType, description: string, now: string) =>
      inTransaction((tx, organizationId) =>
        recordAuthLogEvent(tx, { organizationId, authLogId, type, description, now }),
      ),
    recognize: (authLogId: string, deviceId: string, now: string) =>
      inTransaction(async (tx, organizationId) => {
        const device = await findDevice(tx, organizationId, deviceId)
        return recognizeDevice(tx, { organizationId, authLogId, device, description: 'The device proved itself.', now })
      }),
    show: (authLogId: string, issueIds: readonly string[], now: string) =>
      inTransaction((tx, organizationId) => showIssues(tx, { organizationId, authLogId, issueIds, now })),
    finish: (authLogId: string, now: string) =>
      inTransaction((tx, organizationId) =>
        endAuthLog(tx, { organizationId, authLogId, outcome: 'success' }, { cause: randomUUID(), now }),
      ),
  }
}
