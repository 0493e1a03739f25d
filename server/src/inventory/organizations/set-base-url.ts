import { sql } from 'kysely'
import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { findOwnAddress } from './addresses.ts'

export type AddressChange = {
  /** An origin without a trailing slash. */
  baseUrl: string
  /** MUSTER_BASE_URL. */
  commonBaseUrl: string
}

/**
 * Gives an organization a base address of its own; the same again writes nothing. The one before continues serving until
 * it is ended. Fails with invalid for the first organization, and for an address that serves others.
 */
export async function setBaseUrl(tx: Tx, change: AddressChange, context: ChangeContext): Promise<void> {
  const { organizationId, now } = context
  const { baseUrl, commonBaseUrl } = change
  // Two organizations that take the same address at the same time wait for each other.
  await sql`lock table organizations in share row exclusive mode`.execute(tx)
  const organizations = await tx.selectFrom('organizations').select(['id', 'base_url']).orderBy('id').execute()
  const { base_url: before } = orNotFound(organizations.find(({ id }) => id === organizationId))
  if (before === baseUrl) return
  if (organizations[0]?.id === organizationId) {
    fail('invalid', { message: 'The base address of the first organization is MUSTER_BASE_URL: set that.' })
  }
  const { host } = new URL(baseUrl)
  const holder = await findOwnAddress(tx, host)
  const isTaken = holder !== undefined && holder.organizationId !== organizationId && !holder.isEnded
  if (isTaken || host === new URL(commonBaseUrl).host) {
    fail('invalid', { message: `${baseUrl} is the address of another organization.` })
  }
  if (before !== null) await keepServing(tx, organizationId, before, now)
  await tx
    .updateTable('organizations')
    .set({ base_url: baseUrl, old_addresses_ended_at: null })
    .where('id', '=', organizationId)
    .execute()
  const changes = [{ field: 'base_url', from: before, to: baseUrl }]
  const description = `Changed the base address from ${before ?? commonBaseUrl} to ${baseUrl}.`
  await recordAudit(
    tx,
    { action: 'organization.updated', about: { organization: organizationId }, description, changes },
    context,
  )
}

async function keepServing(tx: Tx, organizationId: string, baseUrl: string, now: string): Promise<void> {
  const row = { organization_id: organizationId, base_url: baseUrl, left_at: now, ended_at: null }
  await tx
    .insertInto('former_addresses')
    .values(row)
    .onConflict((conflict) => conflict.constraint('former_addresses_pkey').doUpdateSet(row))
    .execute()
}
