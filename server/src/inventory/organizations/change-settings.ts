import { type Retained, retention } from '@muster/contract/retention.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { type Actor, recordAudit } from '../../signals/audit/record-audit.ts'
import { findSettings, type OrganizationSettings, usualSettings } from './settings.ts'

export type SettingsChange = {
  organizationId: string
  /** What is left out stays; null is what is usual. */
  wanted: { readonly [Name in keyof OrganizationSettings]?: OrganizationSettings[Name] | null | undefined }
  actor: Actor
  now: string
}

/** Chooses for an organization; what is as it was writes nothing. Returns whether anything changed. Fails with invalid. */
export async function changeSettings(tx: Tx, change: SettingsChange): Promise<boolean> {
  const { organizationId, actor, now } = change
  const organization = tx.selectFrom('organizations').select('id').where('id', '=', organizationId)
  orNotFound(await organization.forNoKeyUpdate().executeTakeFirst())
  const before = await findSettings(tx, organizationId)
  const given = Object.entries(change.wanted).filter(([, value]) => value !== undefined)
  const wanted = given.map(([name, value]) => [name, value ?? usualSettings[name as keyof OrganizationSettings]])
  const after: OrganizationSettings = { ...before, ...Object.fromEntries(wanted) }
  refuseOutside(after)
  const sentences = sentencesOf(before, after)
  if (sentences.length === 0) return false
  const row = { ...after, updated_at: now }
  await tx
    .insertInto('organization_settings')
    .values({ organization_id: organizationId, ...row })
    .onConflict((conflict) => conflict.constraint('organization_settings_pkey').doUpdateSet(row))
    .execute()
  for (const description of sentences) {
    const about = { organization: organizationId }
    await recordAudit(tx, { organizationId, actor, about, description, now })
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

function sentencesOf(before: OrganizationSettings, after: OrganizationSettings): string[] {
  const sentences = retained.flatMap((what) => {
    const [from, to] = [before[`${what}_days`], after[`${what}_days`]]
    return from === to ? [] : [`Changed how long "${retention[what].title}" is kept from ${from} to ${to} days.`]
  })
  if (before.is_first_device_trusted !== after.is_first_device_trusted) {
    const [from, to] = after.is_first_device_trusted
      ? ['only after a decision', 'at once']
      : ['at once', 'only after a decision']
    sentences.push(`Changed when the first device of a person is registered from "${from}" to "${to}".`)
  }
  if (before.is_second_factor_required !== after.is_second_factor_required) {
    sentences.push(
      after.is_second_factor_required
        ? 'Required a second factor of all administrators.'
        : 'Required a second factor of administrators no more.',
    )
  }
  return sentences
}
