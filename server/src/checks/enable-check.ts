import type { Actor } from '../audit/record-audit.ts'
import { inOrganization } from '../db/in-organization.ts'
import type { Tx } from '../db/transact.ts'
import { orNotFound } from '../errors.ts'
import { addCheck, fromCatalogue } from './add-check.ts'
import { catalogue } from './catalogue/catalogue.ts'
import { takeConfigurations } from './hold-configurations.ts'

type Enabling = { organizationId: string; slug: string; actor: Actor; now: string }

/** Adds a check of the catalogue, or finds it where it is there. Returns its identifier; fails with not_found. */
export async function enableCheck(tx: Tx, { organizationId, slug, actor, now }: Enabling): Promise<string> {
  const check = orNotFound(catalogue.find((one) => one.slug === slug))
  // Two that enable it at once find one another.
  await takeConfigurations(tx, organizationId)
  const existing = await tx
    .selectFrom('checks')
    .select('id')
    .where(inOrganization('checks', organizationId))
    .where('slug', '=', check.slug)
    .executeTakeFirst()
  return existing?.id ?? addCheck(tx, fromCatalogue(check), { organizationId, actor, now })
}
