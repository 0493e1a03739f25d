import { whyNoCode } from '@muster/contract/code-takers.ts'
import { sql } from 'kysely'
import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Db, Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { clockToleranceMs, dayMs, hourMs, plusMs } from '../../base/time.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { bypassLimits, newBypassCode, readCode, shownCode } from './code-text.ts'

export type NewBypassCode = { personId: string; connectionId: string; hours: number; reason: string }
export type MadeBypassCode = { id: string; code: string; expiresAt: string }

const hashOf = (secrets: Secrets, organizationId: string, code: string): Buffer =>
  secrets.lookupHash('bypass code', `${organizationId} ${code}`)

/**
 * Makes a code that lets a person in once through a connection, without the check of their device, for eight hours at most.
 * It is returned this once and kept as a keyed hash. Fails with not_found, and with
 * invalid at a connection that takes none, and when five wait already.
 */
export async function createBypassCode(
  tx: Tx,
  secrets: Secrets,
  { personId, connectionId, hours, reason }: NewBypassCode,
  context: ChangeContext,
): Promise<MadeBypassCode> {
  const { organizationId, now, actor } = context
  const person = orNotFound(await findActivePerson(tx, organizationId, personId))
  const connection = orNotFound(await findConnectionName(tx, organizationId, connectionId))
  const message = whyNoCode(connection)
  if (message !== undefined) return fail('invalid', { errors: [{ field: 'connection_id', message }], message })
  const open = await tx
    .selectFrom('bypass_codes')
    .select('id')
    .where(inOrganization('bypass_codes', organizationId))
    .where('person_id', '=', personId)
    .where('used_at', 'is', null)
    .where('withdrawn_at', 'is', null)
    .where('expires_at', '>', now)
    .limit(bypassLimits.open)
    .execute()
  if (open.length >= bypassLimits.open) {
    return fail('invalid', { message: `"${person.name}" has ${bypassLimits.open} codes already. Withdraw one first.` })
  }
  const code = newBypassCode()
  const expiresAt = plusMs(now, hours * hourMs)
  const { id } = await tx
    .insertInto('bypass_codes')
    .values({
      ...{ organization_id: organizationId, connection_id: connectionId, person_id: personId, reason },
      ...{ made_by: actor.name, created_at: now, expires_at: expiresAt },
      code_hash: hashOf(secrets, organizationId, code),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const description = `Gave "${person.name}" a code that opens "${connection.name}" once until ${expiresAt}. Reason: ${reason}`
  await recordAudit(tx, { action: 'bypass_code.created', about: { person: personId }, description }, context)
  return { id, code: shownCode(code), expiresAt }
}

/** Withdraws a code that was not used. Fails with not_found. */
export async function withdrawBypassCode(tx: Tx, { id }: { id: string }, context: ChangeContext): Promise<void> {
  const { organizationId, now } = context
  const code = orNotFound(
    await tx
      .updateTable('bypass_codes')
      .set({ withdrawn_at: now })
      .where(inOrganization('bypass_codes', organizationId))
      .where('id', '=', id)
      .where('used_at', 'is', null)
      .where('withdrawn_at', 'is', null)
      .where('expires_at', '>', now)
      .returning('person_id')
      .executeTakeFirst(),
  )
  const { name } = await tx
    .selectFrom('people')
    .select('name')
    .where(inOrganization('people', organizationId))
    .where('id', '=', code.person_id)
    .executeTakeFirstOrThrow()
  const description = `Withdrew a sign-in code of "${name}".`
  await recordAudit(tx, { action: 'bypass_code.withdrawn', about: { person: code.person_id }, description }, context)
}

type Tried = { organizationId: string; personId: string; connectionId: string; text: string; now: string }
export type SpentCode = { id: string; reason: string; expires_at: string } | { triesLeft: number }

/**
 * Uses a code up. Each try counts against the person before it is looked at, five within an hour over all their sign-ins;
 * after these no code is looked at.
 */
export async function spendBypassCode(tx: Tx, secrets: Secrets, tried: Tried): Promise<SpentCode> {
  const { organizationId, personId, connectionId, text, now } = tried
  const tries = await countTry(tx, tried)
  if (tries > bypassLimits.tries) return { triesLeft: 0 }
  const code = readCode(text)
  const used =
    code &&
    (await tx
      .updateTable('bypass_codes')
      .set({ used_at: now })
      .where(inOrganization('bypass_codes', organizationId))
      .where('person_id', '=', personId)
      .where('connection_id', '=', connectionId)
      .where('code_hash', '=', hashOf(secrets, organizationId, code))
      .where('used_at', 'is', null)
      .where('withdrawn_at', 'is', null)
      .where('expires_at', '>', now)
      .returning(['id', 'reason', 'expires_at'])
      .executeTakeFirst())
  if (!used) return { triesLeft: bypassLimits.tries - tries }
  await tx
    .updateTable('bypass_attempts')
    .set((row) => ({ tries: row('tries', '-', 1) }))
    .where(inOrganization('bypass_attempts', organizationId))
    .where('person_id', '=', personId)
    .execute()
  return used
}

async function countTry(tx: Tx, { organizationId, personId, now }: Tried): Promise<number> {
  const isOver = sql<boolean>`bypass_attempts.started_at <= ${plusMs(now, -bypassLimits.windowMs)}::timestamptz`
  const { tries } = await tx
    .insertInto('bypass_attempts')
    .values({ organization_id: organizationId, person_id: personId, started_at: now, tries: 1 })
    .onConflict((conflict) =>
      conflict.constraint('bypass_attempts_pkey').doUpdateSet({
        started_at: sql`case when ${isOver} then excluded.started_at else bypass_attempts.started_at end`,
        tries: sql`case when ${isOver} then 1 else least(bypass_attempts.tries + 1, ${sql.lit(bypassLimits.tries + 1)}) end`,
      }),
    )
    .returning('tries')
    .executeTakeFirstOrThrow()
  return tries
}

/** Brings forward the ends of codes that would last for longer than any: they were written while a clock was ahead. */
export async function capBypassCodes(db: Db, now: string): Promise<void> {
  const longestMs = bypassLimits.hours * hourMs
  await db
    .updateTable('bypass_codes')
    .set({ expires_at: plusMs(now, longestMs) })
    .where('expires_at', '>', plusMs(now, longestMs + clockToleranceMs))
    .execute()
}

/** Drops what ended 30 days ago: the audit log and the sign-in log keep who gave and used a code. */
export async function dropOldBypassCodes(db: Db, now: string): Promise<void> {
  await sql`delete from bypass_codes where expires_at <= ${plusMs(now, -30 * dayMs)}::timestamptz`.execute(db)
}

const findActivePerson = (tx: Tx, organizationId: string, personId: string) =>
  tx
    .selectFrom('people')
    .select('name')
    .where(inOrganization('people', organizationId))
    .where('id', '=', personId)
    .where('deprovisioned_at', 'is', null)
    .executeTakeFirst()

const findConnectionName = (tx: Tx, organizationId: string, connectionId: string) =>
  tx
    .selectFrom('signin_connections')
    .select(['name', 'kind', 'mode'])
    .where(inOrganization('signin_connections', organizationId))
    .where('id', '=', connectionId)
    .executeTakeFirst()
