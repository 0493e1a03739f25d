import { type Db, type Tx, transact } from '../db/transact.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { accountRule, addressRule, afterFailure, networkOf, secondsClosed, type ThrottleRule } from './rules.ts'

type Attempt = { email: string; ipAddress: string; now: string }
type Subject = { hash: Buffer; rule: ThrottleRule }

const accountHash = (secrets: Secrets, email: string) => secrets.lookupHash('sign-in account', email.toLowerCase())

const subjectsOf = (secrets: Secrets, { email, ipAddress }: Attempt) => ({
  account: { hash: accountHash(secrets, email), rule: accountRule },
  address: { hash: secrets.lookupHash('sign-in address', networkOf(ipAddress)), rule: addressRule },
})

/**
 * Counts a try as a failure before it is looked at, so that tries that come at once do not slip through, and returns
 * how many there were before. `waitSeconds` says that this one is not heard. Known and unknown accounts are alike.
 */
export function admitAttempt(
  db: Db,
  secrets: Secrets,
  attempt: Attempt,
): Promise<{ waitSeconds: number; failures: number }> {
  const { account, address } = subjectsOf(secrets, attempt)
  return transact(db, async (tx) => {
    // Every transaction takes addresses before accounts, so that none waits in a circle.
    const ofAddress = await lockThrottle(tx, address, attempt.now)
    const ofAccount = await lockThrottle(tx, account, attempt.now)
    const waitSeconds = Math.max(secondsClosed(ofAddress, attempt.now), secondsClosed(ofAccount, attempt.now))
    if (waitSeconds > 0) return { waitSeconds, failures: ofAccount.failures }
    await countFailure(tx, address, ofAddress, attempt.now)
    await countFailure(tx, account, ofAccount, attempt.now)
    return { waitSeconds, failures: ofAccount.failures }
  })
}

/** The try was no failure: the account's are forgotten, and the address has one less. */
export async function forgiveAttempt(tx: Tx, secrets: Secrets, attempt: Attempt): Promise<void> {
  await takeBack(tx, subjectsOf(secrets, attempt).address)
  await forgetFailures(tx, secrets, attempt.email)
}

/** The try said nothing either way: it is as if it had not been. */
export async function takeBackAttempt(tx: Tx, secrets: Secrets, attempt: Attempt): Promise<void> {
  const { account, address } = subjectsOf(secrets, attempt)
  await takeBack(tx, address)
  await takeBack(tx, account, attempt.now)
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

/** Also for somebody who is let in anew. */
export async function forgetFailures(tx: Tx, secrets: Secrets, email: string): Promise<void> {
  await tx.deleteFrom('sign_in_throttles').where('subject_hash', '=', accountHash(secrets, email)).execute()
}

async function lockThrottle(tx: Tx, { hash }: Subject, now: string) {
  const row = await tx
    .insertInto('sign_in_throttles')
    .values({ subject_hash: hash, failures: 0, last_failed_at: now, closed_until: now })
    // Writes nothing new: it locks the row and returns it.
    .onConflict((conflict) =>
      conflict
        .constraint('sign_in_throttles_pkey')
        .doUpdateSet((old) => ({ failures: old.ref('sign_in_throttles.failures') })),
    )
    .returning(['failures', 'last_failed_at', 'closed_until'])
    .executeTakeFirstOrThrow()
  return { failures: row.failures, lastFailedAt: row.last_failed_at, closedUntil: row.closed_until }
}

async function countFailure(tx: Tx, { hash, rule }: Subject, before: Parameters<typeof afterFailure>[0], now: string) {
  const { failures, lastFailedAt, closedUntil } = afterFailure(before, rule, now)
  await tx
    .updateTable('sign_in_throttles')
    .set({ failures, last_failed_at: lastFailedAt, closed_until: closedUntil })
    .where('subject_hash', '=', hash)
    .execute()
}
