import { randomUUID } from 'node:crypto'
import { type Tx, transact } from '../../src/base/db/transact.ts'
import { finishSession } from '../../src/sign-in/auth-logs/finish-session.ts'
import { recognizeDevice } from '../../src/sign-in/auth-logs/recognize-device.ts'
import { recordEvent } from '../../src/sign-in/auth-logs/record-event.ts'
import { showIssues } from '../../src/sign-in/auth-logs/show-issues.ts'
import { type NewSession, startSession } from '../../src/sign-in/auth-logs/start-session.ts'
import type { TestApp } from './app.ts'

type EventType = Parameters<typeof recordEvent>[1]['type']

/** The commands of signing in for the organization of the app, each in a transaction of its own. */
export function signInSteps(app: TestApp) {
  const inTransaction = <T>(work: (tx: Tx, organizationId: string) => Promise<T>): Promise<T> =>
    transact(app.db, (tx) => work(tx, app.tenant.organizationId))
  return {
    start: (session: Partial<NewSession> & { now: string }) =>
      inTransaction((tx, organizationId) =>
        startSession(tx, {
          organizationId,
          ipAddress: '198.51.100.24',
          browser: { name: 'Firefox', version: '145.0', userAgent: 'Mozilla/5.0 Firefox/145.0' },
          ...session,
        }),
      ),
    record: (authLogId: string, type: EventType, description: string, now: string) =>
      inTransaction((tx, organizationId) => recordEvent(tx, { organizationId, authLogId, type, description, now })),
    recognize: (authLogId: string, deviceId: string, now: string) =>
      inTransaction((tx, organizationId) => recognizeDevice(tx, { organizationId, authLogId, deviceId, now })),
    show: (authLogId: string, issueIds: readonly string[], now: string) =>
      inTransaction((tx, organizationId) => showIssues(tx, { organizationId, authLogId, issueIds, now })),
    finish: (authLogId: string, now: string) =>
      inTransaction((tx, organizationId) =>
        finishSession(tx, { organizationId, authLogId }, { cause: randomUUID(), now }),
      ),
  }
}
