import { createHash } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** What a release has in place of sources that may change. */
const released = `${root}server/bundle`
const others = ['node_modules/.package-lock.json', 'server/bundle.ts', 'server/bin/bundle-stamp.js']

/** Where the bundle of the server is, if it was made of exactly these sources and packages. */
export function bundleFolder() {
  if (existsSync(released)) return released
  return `${root}.cache/server-${stampOf(['server/src', 'contract/src', 'agent/src'])}`
}

/** Where the companion as the one file that its packages install is, if it was made of exactly these sources and packages. */
export function companionBundle() {
  if (existsSync(released)) return `${released}/companion.mjs`
  return `${root}.cache/companion-${stampOf(['agent/src'])}/companion.mjs`
}

/**
 * A change of any file's size or time, or of the place of the whole, gives another name, so a bundle that is out of date is
 * never found.
 */
function stampOf(folders) {
  const hash = createHash('sha256').update(root)
  const names = folders.flatMap((folder) =>
    readdirSync(root + folder, { recursive: true })
      .filter((name) => /\.(?:ts|json)$/.test(name) && !name.endsWith('.test.ts'))
      .map((name) => `${folder}/${name}`),
  )
  for (const name of [...names.sort(), ...others]) {
    const { size, mtimeMs } = statSync(root + name, { throwIfNoEntry: false }) ?? {}
    hash.update(`${name} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}
