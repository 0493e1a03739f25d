import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Why packages cannot be installed here; false where they can. */
export const withoutDpkg: string | false = (() => {
  if (spawnSync('dpkg', ['--version']).error) return 'needs dpkg'
  return process.getuid?.() === 0 ? false : 'needs root, which owns what a package installs'
})()

/**
 * A folder that dpkg takes for the root of a system: nothing is installed on this machine, and the scripts of packages
 * are told of the folder by DPKG_ROOT. It is removed when the test is over.
 */
export async function scratchRoot(hooks: { after(work: () => Promise<void>): void }) {
  const folder = mkdtempSync(join(tmpdir(), 'muster-root-'))
  hooks.after(() => rm(folder, { recursive: true, force: true }))
  const root = join(folder, 'root')
  const database = join(root, 'var/lib/dpkg')
  for (const part of ['updates', 'info', 'triggers']) await mkdir(join(database, part), { recursive: true })
  await writeFile(join(database, 'status'), '')
  await writeFile(join(database, 'available'), '')
  return {
    folder,
    root,
    /** What dpkg wrote; rejects where it failed. Dependencies are the real system's, so they are not asked for. */
    async dpkg(...args: string[]): Promise<string> {
      const place = [`--root=${root}`, '--force-script-chrootless', '--force-depends', `--log=${join(folder, 'log')}`]
      const { stdout, stderr } = await run('dpkg', [...place, ...args])
      return stdout + stderr
    },
    async run(command: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
      const { stdout, stderr } = await run(command, args, { env: { PATH: process.env['PATH'] ?? '', ...env } })
      return stdout + stderr
    },
  }
}
