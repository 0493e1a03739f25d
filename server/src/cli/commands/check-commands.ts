import Type from 'typebox'
import { inOrganization } from '../../base/db/in-organization.ts'
import { type Reader, transact } from '../../base/db/transact.ts'
import { catalogue } from '../../checks/catalogue/catalogue.ts'
import { setBeginsBlockingOn } from '../../checks/configuration/set-begins-blocking-on.ts'
import { addCheck } from '../../checks/definitions/add-check.ts'
import { deleteCustomCheck } from '../../checks/definitions/delete-custom-check.ts'
import { enableCheck } from '../../checks/definitions/enable-check.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { defineCommand } from '../data-command.ts'
import { findCheck } from '../find-check.ts'
import { organizationOf, terminalChange } from '../organization-of.ts'
import { alignColumns } from '../table.ts'

const organization = Type.Optional(Type.String())

export const listCatalogueCommand = defineCommand({
  name: 'list-catalogue',
  args: Type.Object({ organization }),
  async run({ connection }, args, io) {
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
    return 0
  },
})

export const enableCheckCommand = defineCommand({
  name: 'enable-check',
  args: Type.Object({ organization, slug: Type.String() }),
  async run({ connection, now }, args, io) {
    const check = catalogue.find(({ slug }) => slug === args.slug)
    if (!check)
      throw new CommandError(exitCodes.notFound, `The catalogue has no ${args.slug}: see muster checks catalogue`)
    const { id: organizationId } = await organizationOf(connection.db, args.organization)
    const enabling = { slug: check.slug }
    const id = await transact(connection.db, (tx) => enableCheck(tx, enabling, terminalChange(organizationId, now)))
    await io.line(id)
    return 0
  },
})

export const addExternalCheckCommand = defineCommand({
  name: 'add-external-check',
  args: Type.Object({
    organization,
    slug: Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 100 }),
    name: Type.String({ minLength: 1, maxLength: 200 }),
    description: Type.Optional(Type.String({ maxLength: 2_000 })),
    issueTitle: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    fixInstructions: Type.Optional(Type.String({ maxLength: 20_000 })),
    primaryKeyColumn: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    platforms: Type.Array(Type.Enum(['darwin', 'windows', 'linux'])),
  }),
  async run({ connection, now }, args, io) {
    const { id: organizationId } = await organizationOf(connection.db, args.organization)
    await refuseKnownSlug(connection.db, organizationId, args.slug)
    const check = {
      slug: args.slug,
      name: args.name,
      type: 'external' as const,
      isProvided: false,
      platforms: args.platforms,
      description: args.description ?? 'Its results are reported from outside.',
      sqlTemplate: null,
      primaryKeyColumn: args.primaryKeyColumn ?? null,
      issueTitle: args.issueTitle ?? args.name,
      rationaleTemplate: '',
      fixInstructionsTemplate: args.fixInstructions ?? '',
    }
    const id = await transact(connection.db, (tx) => addCheck(tx, check, terminalChange(organizationId, now)))
    await io.line(id)
    return 0
  },
})

export const deleteCheckCommand = defineCommand({
  name: 'delete-check',
  args: Type.Object({ organization, id: Type.String({ pattern: '^[0-9]{1,18}$' }) }),
  async run({ connection, now }, args, io) {
    const { id: organizationId } = await organizationOf(connection.db, args.organization)
    const deletion = { checkId: args.id }
    await transact(connection.db, (tx) => deleteCustomCheck(tx, deletion, terminalChange(organizationId, now)))
    await io.line(`Check ${args.id} is gone; a worker resolves its issues`)
    return 0
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

export const setBeginsBlockingOnCommand = defineCommand({
  name: 'set-begins-blocking-on',
  args: Type.Object({
    organization,
    check: Type.String(),
    at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  }),
  async run({ connection, now }, { organization: named, check: asked, at }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const check = await findCheck(connection.db, organizationId, asked)
    const beginsBlockingOn = at === null ? null : new Date(at).toISOString()
    const change = { checkId: check.id, beginsBlockingOn }
    await transact(connection.db, (tx) => setBeginsBlockingOn(tx, change, terminalChange(organizationId, now)))
    await io.line(
      `${check.slug} ${at === null ? 'has no day on which it begins to block' : `blocks nobody before ${beginsBlockingOn}`}`,
    )
    return 0
  },
})
