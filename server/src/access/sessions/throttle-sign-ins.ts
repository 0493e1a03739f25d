import type { RequestSource } from '../../base/change-context.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { foldText } from '../../base/fold-text.ts'
import { networkOf } from '../../base/network-of.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { findKnownDevice } from './known-device.ts'
import {
  afterFailure,
  failuresNow,
  networkRule,
  ownRule,
  secondsClosed,
  strangersRule,
  type Throttle,
  type ThrottleRule,
} from './rules.ts'

export type Attempt = {
  email: string
  source: Pick<RequestSource, 'ipAddress'>
  /** The cookie of a browser in which someone has signed in before, as it came. */
  deviceCookie: string | undefined
  /** Of a session whose holder proves again who they are. */
  sessionId?: string | undefined
  now: string
}

type Subject = { hash: Buffer; rule: ThrottleRule; isForgivenWhole: boolean }

const accountHash = (secrets: Secrets, email: string) => secrets.lookupHash('sign-in account', foldText(email))

/**
 * What a failed try is counted against. A try in a live session, or from a browser in which this account has signed in
 * before, counts for that session or browser alone, so nobody else can use it up. Tries of strangers count for their
 * network, for the account as tried from their network, and for the account as tried by all strangers. The order is that
 * in which rows are locked: by kind, so that no two transactions wait for each other.
 */
function subjectsOf(secrets: Secrets, attempt: Attempt): Subject[] {
  const { email, source, sessionId } = attempt
  const own = (kind: string, id: string): Subject => ({
    hash: secrets.lookupHash(`sign-in ${kind}`, JSON.stringify([id, foldText(email)])),
    rule: ownRule,
    isForgivenWhole: true,
  })
  if (sessionId !== undefined) return [own('session', sessionId)]
  const device = knownDeviceOf(secrets, attempt)
  if (device !== undefined) return [own('device', device)]
  const network = networkOf(source.ipAddress)
  return [
    { hash: secrets.lookupHash('sign-in address', network), rule: networkRule, isForgivenWhole: false },
    { hash: accountHash(secrets, email), rule: strangersRule, isForgivenWhole: true },
    own('network', network),
  ]
}

const knownDeviceOf = (secrets: Secrets, { deviceCookie: cookie, email, now }: Attempt) =>
  findKnownDevice(secrets, { cookie, email, now })

/** Whether the try comes from a session or a browser that has shown before that it belongs to the account. */
export const isKnown = (secrets: Secrets, attempt: Attempt): boolean =>
  attempt.sessionId !== undefined || knownDeviceOf(secrets, attempt) !== undefined

/**
 * Counts a try as a failure before it is looked at, so that tries that come at once do not slip through, and returns how
 * many there were before for the account. `waitSeconds` says that this one is not heard. Known and unknown accounts are
 * alike.
 */
export function admitAttempt(
  db: Db,
  secrets: Secrets,
  attempt: Attempt,
): Promise<{ waitSeconds: number; failures: number }> {
  const { email, now } = attempt
  const account = accountHash(secrets, email)
  return transact(db, async (tx) => {
    const locked: { subject: Subject; before: Throttle }[] = []
    for (const subject of subjectsOf(secrets, attempt)) {
      locked.push({ subject, before: await lockThrottle(tx, subject, account, now) })
    }
    const failures = await failuresOf(tx, account, locked, now)
    const waitSeconds = Math.max(...locked.map(({ subject, before }) => secondsClosed(before, subject.rule, now)))
    if (waitSeconds > 0) return { waitSeconds, failures }
    for (const { subject, before } of locked) await countFailure(tx, subject, before, now)
    return { waitSeconds, failures }
  })
}

/** Of strangers at the account, and of the session or browser that tries. */
async function failuresOf(tx: Tx, account: Buffer, locked: { subject: Subject; before: Throttle }[], now: string) {
  const own = locked.length === 1 ? locked : []
  const strangers = await tx
    .selectFrom('sign_in_throttles')
    .select(['failures', 'last_failed_at', 'closed_until'])
    .where('subject_hash', '=', account)
    .executeTakeFirst()
  const ofStrangers = strangers ? failuresNow(throttleOf(strangers), strangersRule, now) : 0
  return own.reduce((sum, { subject, before }) => sum + failuresNow(before, subject.rule, now), ofStrangers)
}

/** The try was no failure: those of the account that count here are forgotten, and the network has one less. */
export async function forgiveAttempt(tx: Tx, secrets: Secrets, attempt: Attempt): Promise<void> {
  for (const subject of subjectsOf(secrets, attempt)) {
    if (subject.isForgivenWhole) await forget(tx, subject.hash)
    else await takeBack(tx, subject)
  }
  await forget(tx, accountHash(secrets, attempt.email))
}

/** The try said nothing either way: it is as if it had not been. */
export async function takeBackAttempt(tx: Tx, secrets: Secrets, attempt: Attempt): Promise<void> {
  for (const subject of subjectsOf(secrets, attempt)) {
    await takeBack(tx, subject, subject.isForgivenWhole ? attempt.now : undefined)
  }
}

async function takeBack(tx: Tx, { hash }: Subject, closedUntil?: string): Promise<void> {
  await tx
    .updateTable('sign_in_throttles')
    .set((row) => ({
      failures: row('failures', '-', 1),
      ...(closedUntil !== undefined && { closed_until: closedUntil }),
    }))
    .where('subject_hash', '=', hash)
    .where('failures', '>', 0)
    .execute()
}

const forget = (tx: Tx, hash: Buffer) => tx.deleteFrom('sign_in_throttles').where('subject_hash', '=', hash).execute()

/** For someone who is admitted again: every failure at the account, from any network. */
export async function forgetFailures(tx: Tx, secrets: Secrets, email: string): Promise<void> {
  await tx.deleteFrom('sign_in_throttles').where('account_hash', '=', accountHash(secrets, email)).execute()
}

async function lockThrottle(tx: Tx, { hash, rule }: Subject, account: Buffer, now: string): Promise<Throttle> {
  const row = await tx
    .insertInto('sign_in_throttles')
    .values({
      subject_hash: hash,
      account_hash: rule === networkRule ? null : account,
      failures: 0,
      last_failed_at: now,
      closed_until: now,
    })
    // Writes nothing new: it locks the row and returns it.
    .onConflict((conflict) =>
      conflict
        .constraint('sign_in_throttles_pkey')
        .doUpdateSet((old) => ({ failures: old.ref('sign_in_throttles.failures') })),
    )
    .returning(['failures', 'last_failed_at', 'closed_until'])
    .executeTakeFirstOrThrow()
  return throttleOf(row)
}

type Row = { failures: number; last_failed_at: string; closed_until: string }

const throttleOf = ({ failures, last_failed_at: lastFailedAt, closed_until: closedUntil }: Row): Throttle => ({
  failures,
  lastFailedAt,
  closedUntil,
})

async function countFailure(tx: Tx, { hash, rule }: Subject, before: Throttle, now: string) {
  const { failures, lastFailedAt, closedUntil } = afterFailure(before, rule, now)
  await tx
    .updateTable('sign_in_throttles')
    .set({ failures, last_failed_at: lastFailedAt, closed_until: closedUntil })
    .where('subject_hash', '=', hash)
    .execute()
}
