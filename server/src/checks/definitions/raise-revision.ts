import { sql } from 'kysely'
import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { optionFault } from '../../compliance/templates/option-kinds.ts'
import type { OptionDefinitions } from '../../compliance/templates/options.ts'

export const lockConfiguration = async (tx: Tx, organizationId: string, checkId: string) =>
  orNotFound(
    await tx
      .selectFrom('check_configurations')
      .select('options')
      .where(inOrganization('check_configurations', organizationId))
      .where('check_id', '=', checkId)
      .forUpdate()
      .executeTakeFirst(),
  )

/**
 * The values that still fit, since with others the query could not be made, and what to say of those that are defaults again;
 * blank where all fit.
 */
export function fitOptions(
  definitions: OptionDefinitions,
  options: Record<string, unknown>,
): { kept: Record<string, unknown>; consequence: string } {
  const fits = ([name, value]: [string, unknown]) => {
    const definition = Object.hasOwn(definitions, name) ? definitions[name] : undefined
    return definition !== undefined && optionFault(definition, value, name) === undefined
  }
  const kept = Object.fromEntries(Object.entries(options).filter(fits))
  const lost = Object.keys(options).filter((name) => !Object.hasOwn(kept, name))
  const consequence = lost.length > 0 ? `; the options ${lost.map((name) => `"${name}"`).join(', ')} are unset` : ''
  return { kept, consequence }
}

type Raised = {
  checkId: string
  options: Record<string, unknown>
  /** Whose change of the query it is; undefined where the query stays. */
  queryBy: 'organization' | 'upgrade' | undefined
}

/** Writes the next revision of a check's configuration, and of its query where that changes. */
export async function raiseRevision(tx: Tx, { checkId, options, queryBy }: Raised, context: ChangeContext) {
  await tx
    .updateTable('check_configurations')
    .set((row) => {
      const next = sql<string>`${row.ref('query_revision')} + 1`
      return {
        options: JSON.stringify(options),
        revision: sql`${row.ref('revision')} + 1`,
        updated_at: context.now,
        ...(queryBy !== undefined && { query_revision: next }),
        ...(queryBy === 'upgrade' && { upgraded_query_revision: next, query_upgraded_at: context.now }),
      }
    })
    .where(inOrganization('check_configurations', context.organizationId))
    .where('check_id', '=', checkId)
    .execute()
}
