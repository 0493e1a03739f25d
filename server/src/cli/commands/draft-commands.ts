import type { Reader } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { createDraft } from '../../checks/drafts/create-draft.ts'
import { deleteDraft } from '../../checks/drafts/delete-draft.ts'
import { fieldsOf, writeDraftInput } from '../../checks/drafts/draft-fields.ts'
import { editDraft } from '../../checks/drafts/edit-draft.ts'
import { readJudgement } from '../../checks/drafts/judge-draft.ts'
import { presentDraft } from '../../checks/drafts/present.ts'
import { publishDraft } from '../../checks/drafts/publish-draft.ts'
import { type DraftRow, findDraft, listDrafts } from '../../checks/drafts/queries.ts'
import { sectionNames } from '../../checks/drafts/sections.ts'
import { isPublishable, statusesOf } from '../../checks/drafts/standing.ts'
import type { OptionDefinitions } from '../../compliance/templates/options.ts'
import { renderSql } from '../../compliance/templates/render-sql.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { implement } from '../describe-commands.ts'
import { changeIn, organizationOf } from '../organization-of.ts'
import { alignColumns, plainText } from '../table.ts'
import { draftGroup } from './draft-group.ts'
import { liveQueryCommands } from './live-query-commands.ts'

export const draftCommands = implement(draftGroup, {
  async create(context, args, io) {
    await io.line(
      await changeIn(context, args.organization, (tx, change) =>
        createDraft(tx, { input: args.input, checkId: args.fromCheck }, change),
      ),
    )
  },

  async edit(context, args, io) {
    const isChanged = await changeIn(context, args.organization, (tx, change) =>
      editDraft(tx, { draftId: args.id, input: args.input }, change),
    )
    await io.line(isChanged ? `Draft ${args.id} is changed` : `Draft ${args.id} is as it was`)
  },

  async list({ connection, now }, args, io) {
    const { id: organizationId } = await organizationOf(connection.db, args.organization)
    const page = { organizationId, params: {}, search: undefined, limit: 100, order: 'ascending', now } as const
    const rows: DraftRow[] = []
    for (let after: string | undefined; ; after = rows.at(-1)?.id) {
      const more = await listDrafts(connection.db, { ...page, after })
      rows.push(...more)
      if (more.length < page.limit) break
    }
    const table = rows.map((row) => {
      const { published, custom_check_id: checkId, publishable } = presentDraft(row)
      const check = published ? `published as check ${checkId}` : checkId === '' ? null : `of check ${checkId}`
      return [row.id, row.slug, row.name, publishable ? 'publishable' : 'unfinished', check]
    })
    for (const line of alignColumns(['ID', 'SLUG', 'NAME', 'STATE', 'CHECK'], table)) await io.line(line)
  },

  async show({ connection }, args, io) {
    const { id: organizationId } = await organizationOf(connection.db, args.organization)
    const row = orNotFound(await findDraft(connection.db, organizationId, args.id))
    if (args.json) await io.line(JSON.stringify(writeDraftInput(fieldsOfRow(row)), null, 2))
    else for (const line of await describe(connection.db, row)) await io.line(plainText(line))
  },

  /** A live query of the SQL as a check with the default options would ask it. */
  async run(context, { organization: named, id: draftId, devices, wait }, io) {
    const { id: organizationId } = await organizationOf(context.connection.db, named)
    const {
      name,
      check_type: type,
      osquery_sql,
      option_definitions,
    } = fieldsOfRow(orNotFound(await findDraft(context.connection.db, organizationId, draftId)))
    if (type === 'external') throw new CommandError(exitCodes.failure, 'An external check has no SQL to run')
    const sql = renderSql(osquery_sql, option_definitions, {})
    const query = { name: `Draft ${draftId}: ${name}`.slice(0, 200), sql, devices, wait }
    return liveQueryCommands.create.run(context, named === undefined ? query : { ...query, organization: named }, io)
  },

  async publish(context, args, io) {
    await io.line(
      await changeIn(context, args.organization, (tx, change) => publishDraft(tx, { draftId: args.id }, change)),
    )
  },

  async delete(context, args, io) {
    const { name } = await changeIn(context, args.organization, (tx, change) =>
      deleteDraft(tx, { draftId: args.id }, change),
    )
    await io.line(plainText(`The draft ${name} is deleted`))
  },
})

// Written through readOptionDefinitions.
const fieldsOfRow = (row: DraftRow) =>
  fieldsOf({ ...row, option_definitions: row.option_definitions as OptionDefinitions })

async function describe(reader: Reader, row: DraftRow): Promise<string[]> {
  const { published, custom_check_id: checkId } = presentDraft(row)
  const { sections } = await readJudgement(reader, row)
  const check = checkId === '' ? 'not published' : published ? `published as check ${checkId}` : `of check ${checkId}`
  return [
    `Draft ${row.id}: ${row.name} (${row.slug}), ${check}`,
    ...sectionNames.flatMap((name) => [
      `${name}: ${sections[name].status}`,
      ...sections[name].reasons.map((reason) => `  - ${reason}`),
    ]),
    isPublishable(statusesOf(row)) ? 'It can be published.' : 'It cannot be published yet.',
  ]
}
