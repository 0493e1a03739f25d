import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { takeConfigurations } from '../../compliance/standing/hold-configurations.ts'
import { catalogue } from '../catalogue/catalogue.ts'
import { addCheck, fromCatalogue } from './add-check.ts'

type Enabling = { slug: string }

/** Adds a check of the catalogue, or finds it where it is there. Returns its identifier; fails with not_found. */
export async function enableCheck(tx: Tx, { slug }: Enabling, context: ChangeContext): Promise<string> {
  const { organizationId } = context
  const check = orNotFound(catalogue.find((one) => one.slug === slug))
  // Two that enable it at once find one another.
  await takeConfigurations(tx, organizationId)
  const existing = await tx
    .selectFrom('checks')
    .select('id')
    .where(inOrganization('checks', organizationId))
    .where('slug', '=', check.slug)
    .executeTakeFirst()
  return existing?.id ?? addCheck(tx, fromCatalogue(check), context)
}
