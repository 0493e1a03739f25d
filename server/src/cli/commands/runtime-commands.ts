import { type RuntimeSystem, runtimeSystems } from '@muster/contract/packages.ts'
import { ensureAllPackages } from '../../agents/packages/ensure-packages.ts'
import { programKinds } from '../../agents/packages/package-kinds.ts'
import { packagesFolder } from '../../agents/packages/packages-folder.ts'
import { addRuntime, type RuntimeSource } from '../../agents/packages/runtimes/add-runtime.ts'
import { publicRegistry } from '../../agents/packages/runtimes/fetch-runtime.ts'
import { isOwnSystem } from '../../agents/packages/runtimes/own-runtime.ts'
import { pinnedRuntimes } from '../../agents/packages/runtimes/pinned-runtimes.ts'
import { type AddedRuntime, listRuntimes } from '../../agents/packages/runtimes/runtime-queries.ts'
import { removeRuntime } from '../../agents/packages/runtimes/store-runtime.ts'
import { systemOfPackage } from '../../agents/packages/runtimes/system-rules.ts'
import { openPackageSite } from '../../agents/packages/site.ts'
import { transact } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { implement } from '../describe-commands.ts'
import { megabytes, newerFor } from '../doctor/judge-runtimes.ts'
import { alignColumns } from '../table.ts'
import { runtimeGroup } from './runtime-group.ts'

export const runtimeCommands = implement(runtimeGroup, {
  async runtimes({ connection }, _args, io) {
    const added = await listRuntimes(connection.db)
    const rows = runtimeSystems.map((system) => describe(system, added))
    for (const line of alignColumns(['SYSTEM', 'NODE', 'FROM', 'SIZE', 'STATE'], rows)) await io.line(line)
  },

  async addRuntime({ connection: { db }, secrets, config, now }, { system, file, registry = publicRegistry }, io) {
    const source: RuntimeSource = file ? { ...file, bytes: io.input } : { registry: registry.replace(/\/+$/, '') }
    const parts = { db, folder: await packagesFolder(config.dataDir) }
    const tell = (line: string) => io.error(line)
    const version = await addRuntime(parts, { system, source, now, signal: io.signal, tell })
    const count = await ensureAllPackages(db, secrets, await openPackageSite(config), now)
    await io.line(`Node ${version} is here for ${system}`)
    await io.line(isUsed(system) ? made(count) : 'No package of this version of Muster brings it yet')
  },

  async removeRuntime({ connection: { db }, secrets, config, now }, { system }, io) {
    const isRemoved = await transact(db, (tx) => removeRuntime(tx, system))
    if (!isRemoved) fail('not_found', { message: `No Node was added for ${system}` })
    // Where the server's own takes its place, packages change.
    await ensureAllPackages(db, secrets, await openPackageSite(config), now)
    await io.line(`Removed the Node for ${system}: ${isOwnSystem(system) ? replaced : lacking}`)
  },
})

const lacking = 'packages that bring it cannot be downloaded until it is added again'
const replaced = 'packages bring this server’s own again'

/** A row of the list. */
function describe(system: RuntimeSystem, added: readonly AddedRuntime[]): string[] {
  const found = added.find((one) => one.system === system)
  const { package: name, version: pinned } = pinnedRuntimes[system]
  if (found) {
    const newer = newerFor(found)
    const state = newer === undefined ? 'added' : `added; Node ${newer} is newer: add it again`
    const from = found.source === 'npm' ? name : 'a file'
    return [system, found.node_version, from, `${megabytes(found.packed_size)} MB`, state]
  }
  if (isOwnSystem(system)) return [system, process.versions.node, 'this server', '', 'the server’s own']
  return [system, pinned, name, '', 'not added']
}

const isUsed = (system: RuntimeSystem): boolean =>
  programKinds.some(({ platform }) =>
    (['x64', 'arm64'] as const).some((architecture) => system === systemOfPackage({ platform, architecture })),
  )

const made = (organizations: number): string =>
  organizations === 0
    ? 'No package had to be made'
    : `Made packages for ${organizations === 1 ? '1 organization' : `${organizations} organizations`}: muster packages list`
