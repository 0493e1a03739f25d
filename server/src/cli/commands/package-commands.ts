import { ensurePackages } from '../../agents/packages/ensure-packages.ts'
import { openPackage } from '../../agents/packages/open-package.ts'
import { packageBuilder } from '../../agents/packages/package-builder.ts'
import { fileNameOf } from '../../agents/packages/package-files.ts'
import { packageNodes } from '../../agents/packages/package-nodes.ts'
import { packageProblem } from '../../agents/packages/package-problem.ts'
import { findPackage, findPackages } from '../../agents/packages/queries.ts'
import { rebuildPackage } from '../../agents/packages/rebuild-package.ts'
import { openPackageSite } from '../../agents/packages/site.ts'
import type { Reader } from '../../base/db/transact.ts'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { implement } from '../describe-commands.ts'
import { organizationOf, terminalChange } from '../organization-of.ts'
import { alignColumns } from '../table.ts'
import { packageGroup } from './package-group.ts'

/** A whole number of base64's groups of three, so that the pieces join. */
const pieceBytes = 3 << 16

export const packageCommands = implement(packageGroup, {
  async list({ connection }, args, io) {
    const { id: organizationId } = await organizationOf(connection.db, args.organization)
    const rows = (await findPackages(connection.db, organizationId)).map((row) => [
      row.id,
      fileNameOf(row),
      row.built_at,
      packageProblem(row) ?? 'ready',
    ])
    for (const line of alignColumns(['ID', 'FILE', 'BUILT', 'STATE'], rows)) await io.line(line)
  },

  async build({ connection, secrets, config, now }, args, io) {
    const { id: organizationId } = await organizationOf(connection.db, args.organization)
    const site = await openPackageSite(config)
    const change = { site }
    const { made, changed } = await transact(connection.db, (tx) =>
      ensurePackages(tx, secrets, change, terminalChange(organizationId, now)),
    )
    await io.line(`Made ${made} packages and brought ${changed} up to date`)
  },

  async rebuild({ connection, secrets, config, now }, args, io) {
    const { id: organizationId } = await organizationOf(connection.db, args.organization)
    const site = await openPackageSite(config)
    const context = terminalChange(organizationId, now)
    const names = await transact(connection.db, async (tx) => {
      const ids = args.id === undefined ? await idsOf(tx, organizationId) : [args.id]
      const made: string[] = []
      for (const one of ids) made.push(await rebuildPackage(tx, secrets, { id: one, site }, context))
      return made
    })
    for (const name of names) await io.line(`Made ${name}; copies of the earlier one enroll no more`)
  },

  /** Writes the file as base64, since the way from a running server carries text. */
  async download({ connection, secrets, config, now }, args, io) {
    const { db } = connection
    const { id: organizationId } = await organizationOf(db, args.organization)
    const { problem } = await describe(db, organizationId, args.id)
    const builder = packageBuilder(packageNodes(db), config.dataDir)
    const asked = { id: args.id }
    const { open, fileName } = await openPackage({ db, secrets, builder }, asked, terminalChange(organizationId, now))
    let rest = Buffer.alloc(0)
    for await (const bytes of open() as AsyncIterable<Buffer>) {
      rest = Buffer.concat([rest, bytes])
      const whole = rest.length - (rest.length % 3)
      if (whole < pieceBytes) continue
      await io.write(rest.toString('base64', 0, whole))
      rest = rest.subarray(whole)
    }
    await io.write(rest.toString('base64'))
    await io.error(fileName)
    if (problem !== null) await io.error(problem)
  },
})

const idsOf = async (reader: Reader, organizationId: string): Promise<string[]> =>
  (await findPackages(reader, organizationId)).map((row) => row.id)

async function describe(reader: Reader, organizationId: string, packageId: string) {
  return { problem: packageProblem(orNotFound(await findPackage(reader, organizationId, packageId))) }
}
