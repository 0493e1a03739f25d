import type { customCheckDraftSearch } from '@muster/contract/custom-check-drafts.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader, Tx } from '../../base/db/transact.ts'
import { compileList } from '../../base/lists/compile-list.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { onPage } from '../../base/lists/on-page.ts'
import type { SearchColumns } from '../../base/lists/where-search.ts'
import { draftFieldNames } from './draft-fields.ts'

const searchColumns = {
  name: { column: 'custom_check_drafts.name', type: 'text' },
  slug: { column: 'custom_check_drafts.slug', type: 'text' },
  created_at: { column: 'custom_check_drafts.created_at', type: 'timestamptz' },
  id: { column: sql`custom_check_drafts.id::text`, type: 'text' },
} satisfies SearchColumns<typeof customCheckDraftSearch>

const byId: Keyset = { id: { column: 'custom_check_drafts.id', type: 'bigint' }, direction: 'asc' }

/** The other check that has the slug already. */
const takenByCheck = sql<string | null>`(
  select taken.id from checks as taken
  where taken.organization_id = custom_check_drafts.organization_id and taken.slug = custom_check_drafts.slug
    and taken.id is distinct from custom_check_drafts.custom_check_id
)`.as('taken_by_check_id')

/** The first earlier draft of the slug; drafts of one check share it. */
const takenByDraft = sql<string | null>`(
  select taken.id from custom_check_drafts as taken
  where taken.organization_id = custom_check_drafts.organization_id and taken.slug = custom_check_drafts.slug
    and taken.id < custom_check_drafts.id
    and (taken.custom_check_id is null or taken.custom_check_id is distinct from custom_check_drafts.custom_check_id)
  order by taken.id limit 1
)`.as('taken_by_draft_id')

const shownColumns = (
  [
    ...draftFieldNames,
    ...(['organization_id', 'id', 'custom_check_id', 'published_at', 'created_at', 'updated_at'] as const),
    ...(['osquery_sql_status', 'notification_templates_status', 'details_status'] as const),
    'privacy_center_details_status',
  ] as const
).map((name) => `custom_check_drafts.${name}` as const)

/** A check on its way out is gone for its drafts. */
const fromDrafts = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('custom_check_drafts')
    .leftJoin('checks as check', (join) =>
      join
        .onRef('check.organization_id', '=', 'custom_check_drafts.organization_id')
        .onRef('check.id', '=', 'custom_check_drafts.custom_check_id')
        .on('check.deletion_requested_at', 'is', null),
    )
    .select(shownColumns)
    .select(['check.id as check_id', 'check.slug as check_slug', 'check.type as check_kind'])
    .select([takenByCheck, takenByDraft])
    .where(inOrganization('custom_check_drafts', organizationId))

export type DraftRow = Awaited<ReturnType<typeof listDrafts>>[number]

export const listDrafts = compileList((reader, page: ListPage) =>
  fromDrafts(reader, page.organizationId).$call(onPage(page, byId, searchColumns)),
)

export const findDraft = (reader: Reader, organizationId: string, id: string) =>
  fromDrafts(reader, organizationId).where('custom_check_drafts.id', '=', id).executeTakeFirst()

/** What was stored with the fields of a draft as they are; null for what was written before judgements were stored. */
export async function findJudgement(reader: Reader, organizationId: string, id: string): Promise<string | null> {
  const found = await reader
    .selectFrom('custom_check_drafts')
    .select('judgement')
    .where(inOrganization('custom_check_drafts', organizationId))
    .where('id', '=', id)
    .executeTakeFirst()
  return found?.judgement ?? null
}

/** Locks the draft until the transaction ends. */
export async function lockDraft(tx: Tx, organizationId: string, id: string): Promise<DraftRow | undefined> {
  await tx
    .selectFrom('custom_check_drafts')
    .select('id')
    .where(inOrganization('custom_check_drafts', organizationId))
    .where('id', '=', id)
    .forUpdate()
    .execute()
  // Read once the lock is held: a statement that waited for it sees other tables as they were before.
  return findDraft(tx, organizationId, id)
}
