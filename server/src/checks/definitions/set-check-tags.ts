import { sql } from 'kysely'
import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { storable } from '../../base/storable.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'

type Tagging = {
  checkId: string
  /** All tags that the check is to have; those that are new are made. */
  names: readonly string[]
}

const maxTags = 20
const maxNameLength = 60

/** Gives a check its tags. The same tags again write nothing. Fails with not_found and with invalid. */
export async function setCheckTags(tx: Tx, tagging: Tagging, context: ChangeContext): Promise<void> {
  const { organizationId } = context
  const { checkId } = tagging
  const names = readNames(tagging.names)
  const check = orNotFound(await lockCheck(tx, organizationId, checkId))
  const before = await tagsOf(tx, organizationId, checkId)
  const wanted = await findOrMake(tx, organizationId, names)
  const [kept, had] = [new Set(wanted.map(({ id }) => id)), new Set(before.map(({ id }) => id))]
  const [gone, added] = [before.filter(({ id }) => !kept.has(id)), wanted.filter(({ id }) => !had.has(id))]
  if (gone.length === 0 && added.length === 0) return
  await sql`
    delete from check_tag_assignments where ${inOrganization('check_tag_assignments', organizationId)}
      and check_id = ${checkId}::bigint and check_tag_id = any(${gone.map(({ id }) => id)}::bigint[])
  `.execute(tx)
  await sql`
    insert into check_tag_assignments (organization_id, check_id, check_tag_id)
    select ${organizationId}::bigint, ${checkId}::bigint, tag from unnest(${added.map(({ id }) => id)}::bigint[]) as tag
  `.execute(tx)
  const [from, to] = [before, wanted].map((tags) => tags.map(({ name }) => name))
  const changes = [{ field: 'tags', from, to }]
  const description = `Changed the tags of the check "${check.name}" from ${shown(before)} to ${shown(wanted)}.`
  await recordAudit(tx, { action: 'check.tags_updated', about: { check: checkId }, description, changes }, context)
}

function readNames(given: readonly string[]): string[] {
  const byKey = new Map(given.map((name) => storable(name).trim()).map((name) => [name.toLowerCase(), name]))
  const names = [...byKey.values()].sort()
  const errors = names.flatMap((name, index) => {
    if (name === '') return [{ field: `names/${index}`, message: 'must not be blank' }]
    if (name.length <= maxNameLength) return []
    return [{ field: `names/${index}`, message: `must not have more than ${maxNameLength} characters` }]
  })
  if (names.length > maxTags) errors.push({ field: 'names', message: `must not have more than ${maxTags} tags` })
  return errors.length > 0 ? fail('invalid', { errors }) : names
}

const lockCheck = (tx: Tx, organizationId: string, checkId: string) =>
  tx
    .selectFrom('checks')
    .select('name')
    .where(inOrganization('checks', organizationId))
    .where('id', '=', checkId)
    .where('deletion_requested_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()

type Tag = { id: string; name: string }

const tagsOf = (tx: Tx, organizationId: string, checkId: string): Promise<Tag[]> =>
  tx
    .selectFrom('check_tag_assignments as assignment')
    .innerJoin('check_tags', (join) =>
      join
        .onRef('check_tags.organization_id', '=', 'assignment.organization_id')
        .onRef('check_tags.id', '=', 'assignment.check_tag_id'),
    )
    .select(['check_tags.id', 'check_tags.name'])
    .where(inOrganization('check_tags', organizationId))
    .where('assignment.check_id', '=', checkId)
    .orderBy('check_tags.name', (order) => order.collate('C'))
    .execute()

/** In one order, so that two that make the same tags wait for one another instead of deadlocking. */
async function findOrMake(tx: Tx, organizationId: string, names: readonly string[]): Promise<Tag[]> {
  if (names.length === 0) return []
  await sql`
    insert into check_tags (organization_id, name)
    select ${organizationId}::bigint, name from unnest(${names}::text[]) as name order by lower(name) collate "C"
    on conflict (organization_id, lower(name)) do nothing
  `.execute(tx)
  return tx
    .selectFrom('check_tags')
    .select(['id', 'name'])
    .where(inOrganization('check_tags', organizationId))
    .where(sql<boolean>`lower(name) in (select lower(wanted) from unnest(${names}::text[]) as wanted)`)
    .orderBy('name', (order) => order.collate('C'))
    .execute()
}

const shown = (tags: readonly Tag[]): string =>
  tags.length === 0 ? 'none' : tags.map(({ name }) => `"${name}"`).join(', ')
