import { type Retained, retention } from '@muster/contract/retention.ts'
import { sql } from 'kysely'
import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { changesBetween } from '../../signals/audit/changes.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { findSettings } from './settings.ts'
import { type OrganizationSettings, usualSettings } from './usual-settings.ts'

export type SettingsChange = {
  /** What is left out stays; null is what is usual. */
  wanted: { readonly [Name in keyof OrganizationSettings]?: OrganizationSettings[Name] | null | undefined }
}

/** Chooses for an organization; what is as it was writes nothing. Returns whether anything changed. Fails with invalid. */
export async function changeSettings(tx: Tx, change: SettingsChange, context: ChangeContext): Promise<boolean> {
  const { organizationId, now } = context
  const organization = tx.selectFrom('organizations').select('id').where('id', '=', organizationId)
  orNotFound(await organization.forNoKeyUpdate().executeTakeFirst())
  const before = await findSettings(tx, organizationId)
  const given = Object.entries(change.wanted).filter(([, value]) => value !== undefined)
  const wanted = given.map(([name, value]) => [name, value ?? usualSettings[name as keyof OrganizationSettings]])
  const after: OrganizationSettings = { ...before, ...Object.fromEntries(wanted) }
  refuseOutside(after)
  await refuseUnknownChecks(tx, organizationId, after.registration_required_checks)
  const news = newsOf(before, after)
  if (news.length === 0) return false
  const row = { ...after, registration_required_checks: [...after.registration_required_checks], updated_at: now }
  await tx
    .insertInto('organization_settings')
    .values({ organization_id: organizationId, ...row })
    .onConflict((conflict) => conflict.constraint('organization_settings_pkey').doUpdateSet(row))
    .execute()
  for (const { description, change } of news) {
    const entry = { action: 'organization.settings_updated', about: { organization: organizationId } } as const
    await recordAudit(tx, { ...entry, description, changes: [change] }, context)
  }
  return true
}

const retained = Object.keys(retention) as Retained[]

function refuseOutside(settings: OrganizationSettings): void {
  const errors = retained.flatMap((what) => {
    const { least, most } = retention[what]
    const days = settings[`${what}_days`]
    const isWithin = Number.isInteger(days) && days >= least && days <= most
    return isWithin ? [] : [{ field: `${what}_days`, message: `must be a whole number from ${least} to ${most}` }]
  })
  if (errors.length > 0) fail('invalid', { errors })
}

async function refuseUnknownChecks(tx: Tx, organizationId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const known = await tx
    .selectFrom('checks')
    .select('id')
    .where(inOrganization('checks', organizationId))
    .where('id', '=', sql<string>`any(${ids}::bigint[])`)
    .where('deletion_requested_at', 'is', null)
    .execute()
  const unknown = ids.find((id) => !known.some((check) => check.id === id))
  if (unknown === undefined) return
  fail('invalid', { errors: [{ field: 'registration_required_checks', message: `there is no check ${unknown}` }] })
}

const newsOf = (before: OrganizationSettings, after: OrganizationSettings) =>
  changesBetween(before, after, Object.keys(usualSettings) as (keyof OrganizationSettings)[]).map((change) => ({
    change,
    description: sentenceOf(change.field, before, after),
  }))

function sentenceOf(
  name: keyof OrganizationSettings,
  before: OrganizationSettings,
  after: OrganizationSettings,
): string {
  if (name === 'is_first_device_trusted') {
    const [from, to] = after[name] ? ['only after a decision', 'at once'] : ['at once', 'only after a decision']
    return `Changed when the first device of a person is registered from "${from}" to "${to}".`
  }
  if (name === 'registration_required_checks') {
    const ids = after[name].join(', ')
    return ids === ''
      ? 'Required no checks to pass before a first device is registered.'
      : `Required the checks ${ids} to pass before a first device is registered.`
  }
  if (name === 'is_second_factor_required') {
    return after[name]
      ? 'Required a second factor of all administrators.'
      : 'Required a second factor of administrators no more.'
  }
  if (name === 'is_owner_by_account') {
    return after[name]
      ? 'Turned on the rule that assigns owners by the account that is logged in.'
      : 'Turned off the rule that assigns owners by the account that is logged in.'
  }
  const what = retained.find((one) => `${one}_days` === name)
  return `Changed how long "${what && retention[what].title}" is kept from ${before[name]} to ${after[name]} days.`
}
