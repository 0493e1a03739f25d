import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { scratchRoot } from './scratch-root.ts'

export type StandIn = { name: string; version?: string; files?: readonly string[]; postinst?: string }

/** Builds a Debian package in place of one of Debian, of osquery or of an earlier Muster, and answers its path. */
export async function standIn(
  { folder, run }: Pick<Awaited<ReturnType<typeof scratchRoot>>, 'folder' | 'run'>,
  { name, version = '5.0', files = [], postinst = '#!/bin/sh\n' }: StandIn,
): Promise<string> {
  const tree = join(folder, name)
  await mkdir(join(tree, 'DEBIAN'), { recursive: true })
  const control = `Package: ${name}\nVersion: ${version}\nArchitecture: all\nMaintainer: Nobody <nobody@localhost>\nDescription: stand-in\n`
  await writeFile(join(tree, 'DEBIAN/control'), control)
  await writeFile(join(tree, 'DEBIAN/postinst'), postinst, { mode: 0o755 })
  for (const file of files) {
    await mkdir(dirname(join(tree, file)), { recursive: true })
    await writeFile(join(tree, file), '#!/bin/sh\n')
  }
  const built = join(folder, `${name}.deb`)
  await run('dpkg-deb', ['--root-owner-group', '--build', tree, built])
  return built
}
