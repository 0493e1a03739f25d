import { checkOperations } from '@muster/contract/operations/checks.ts'
import { strategyWords } from '@muster/contract/strategy-words.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import { type Reader, transact } from '../../base/db/transact.ts'
import { catalogue } from '../../checks/catalogue/catalogue.ts'
import { listChecks } from '../../checks/configuration/queries.ts'
import { updateConfiguration } from '../../checks/configuration/update-configuration.ts'
import { addCheck } from '../../checks/definitions/add-check.ts'
import { deleteCustomCheck } from '../../checks/definitions/delete-custom-check.ts'
import { enableCheck } from '../../checks/definitions/enable-check.ts'
import { presentCheck } from '../../checks/definitions/present.ts'
import { discardHold, releaseHold } from '../../compliance/targeting/decide-hold.ts'
import { listHolds } from '../../console/views/hold-queries.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { implement } from '../describe-commands.ts'
import { findCheck } from '../find-check.ts'
import { listRecords, recordList } from '../list-records.ts'
import { changeIn, organizationOf, terminalChange } from '../organization-of.ts'
import { alignColumns } from '../table.ts'
import { checkGroup } from './check-group.ts'
import { configureCheck } from './configure-check-command.ts'

const checks = recordList({
  ...{ called: 'checks', operation: checkOperations.listChecks, list: listChecks, present: presentCheck },
  cellsOf: (rows) =>
    rows.map((row) => [
      ...[row.id, row.slug, row.paused_at === null ? strategyWords[row.remediation_strategy] : 'Paused'],
      ...[String(row.failing ?? 0), row.name],
    ]),
})

export const checkCommands = implement(checkGroup, {
  list: (context, asked, io) =>
    listRecords(context, asked, { lists: [checks], heads: ['ID', 'SLUG', 'STRATEGY', 'FAILING', 'NAME'] }, io),

  async catalogue({ connection }, args, io) {
    const { id } = await organizationOf(connection.db, args.organization)
    const checks = await connection.db
      .selectFrom('checks')
      .select(['id', 'slug'])
      .where(inOrganization('checks', id))
      .execute()
    const idOf = new Map(checks.map((check) => [check.slug, check.id]))
    const rows = catalogue.map(({ slug, name, platforms }) => [
      slug,
      platforms.join(', '),
      name,
      idOf.has(slug) ? `enabled, check ${idOf.get(slug)}` : null,
    ])
    for (const line of alignColumns(['SLUG', 'PLATFORMS', 'NAME', 'STATE'], rows)) await io.line(line)
  },

  async enable(context, args, io) {
    const check = catalogue.find(({ slug }) => slug === args.slug)
    if (!check)
      throw new CommandError(exitCodes.notFound, `The catalogue has no ${args.slug}: see muster checks catalogue`)
    const id = await changeIn(context, args.organization, (tx, change) => enableCheck(tx, { slug: check.slug }, change))
    await io.line(id)
  },

  async delete(context, args, io) {
    await changeIn(context, args.organization, (tx, change) => deleteCustomCheck(tx, { checkId: args.id }, change))
    await io.line(`Deleted check ${args.id}. Its issues are resolved in the background.`)
  },

  async addExternal({ connection, now }, args, io) {
    const { id: organizationId } = await organizationOf(connection.db, args.organization)
    await refuseKnownSlug(connection.db, organizationId, args.slug)
    const check = {
      slug: args.slug,
      name: args.name,
      type: 'external' as const,
      isProvided: false,
      platforms: args.platforms ?? [],
      description: args.description ?? 'Its results are reported from outside.',
      sqlTemplate: null,
      primaryKeyColumn: args.primaryKeyColumn ?? null,
      issueTitle: args.issueTitle ?? args.name,
      rationaleTemplate: '',
      fixInstructionsTemplate: args.fixInstructions ?? '',
    }
    const id = await transact(connection.db, (tx) => addCheck(tx, check, terminalChange(organizationId, now)))
    await io.line(id)
  },

  configure: configureCheck,

  async setBeginsBlockingOn({ connection, now }, { organization: named, check: asked, at }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const check = await findCheck(connection.db, organizationId, asked)
    const beginsBlockingOn = at === null ? null : new Date(at).toISOString()
    const change = { checkId: check.id, request: {}, beginsBlockingOn }
    await transact(connection.db, (tx) => updateConfiguration(tx, change, terminalChange(organizationId, now)))
    await io.line(
      `${check.slug} ${at === null ? 'has no day on which it begins to block' : `blocks nobody before ${beginsBlockingOn}`}`,
    )
  },

  async listHolds({ connection }, args, io) {
    const { id } = await organizationOf(connection.db, args.organization)
    const holds = await listHolds(connection.db, id)
    const rows = holds.map(({ id: holdId, check, devices, people, ...hold }) => [
      ...[holdId, hold.began_at, String(devices), String(people)],
      ...[hold.discarded_at === null ? 'held' : `discarded ${hold.discarded_at} by ${hold.discarded_by}`],
      ...[hold.query_upgraded_at === null ? 'many at once' : `upgrade ${hold.query_upgraded_at}`, check.name],
    ])
    for (const line of alignColumns(['ID', 'SINCE', 'DEVICES', 'PEOPLE', 'STATE', 'CAUSE', 'CHECK'], rows))
      await io.line(line)
  },

  async releaseHold(context, args, io) {
    await changeIn(context, args.organization, (tx, change) => releaseHold(tx, args.id, change))
    await io.line(
      `Released hold ${args.id}. The devices are blocked in the background, and the check is not held for 24 hours.`,
    )
  },

  async discardHold(context, args, io) {
    await changeIn(context, args.organization, (tx, change) => discardHold(tx, args.id, change))
    await io.line(`Discarded hold ${args.id}. To block the devices after all: muster checks holds release ${args.id}`)
  },
})

async function refuseKnownSlug(reader: Reader, organizationId: string, slug: string): Promise<void> {
  const existing = await reader
    .selectFrom('checks')
    .select('id')
    .where(inOrganization('checks', organizationId))
    .where('slug', '=', slug)
    .executeTakeFirst()
  if (existing) throw new CommandError(exitCodes.failure, `Check ${existing.id} has the slug ${slug} already`)
}
