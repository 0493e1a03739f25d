import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** Packages that stay files: those that the bundle leaves out (server/bundle.ts), and what the threads and packages of the agent use. */
const kept = ['@electric-sql/pglite', 'libpg-query', '@scalar/fastify-api-reference', 'pg', 'wa-sqlite', 'jose']

/** Extensions of the embedded database that Muster does not load, types and maps. */
const isUnused = (path: string): boolean =>
  /\.map$|\.d\.[cm]?ts$|\/pglite\/dist\/(?!pg_trgm)\w+(?:-\w+)*\.tar\.gz$/.test(path)

/** Copies the packages that a release has as files, with all that they depend on, to the same places below `target`. */
export function copyPackages(root: string, target: string): void {
  const folders = new Set<string>()
  for (const name of kept) addPackage(name, join(root, 'server'), folders)
  for (const folder of folders) {
    const isNested = (path: string) => path !== folder && path.startsWith(join(folder, 'node_modules'))
    cpSync(folder, join(target, relative(root, folder)), {
      recursive: true,
      dereference: true,
      filter: (path) => !isUnused(path) && !isNested(path),
    })
  }
  mkdirSync(join(target, 'node_modules/@muster'), { recursive: true })
  for (const name of ['agent', 'contract']) symlinkSync(`../../${name}`, join(target, 'node_modules/@muster', name))
}

function addPackage(name: string, from: string, folders: Set<string>): void {
  const folder = findPackage(name, from)
  if (folders.has(folder)) return
  folders.add(folder)
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>
  }
  for (const dependency of Object.keys(dependencies)) addPackage(dependency, folder, folders)
}

/** As Node looks for it: in the nearest `node_modules` above. */
function findPackage(name: string, from: string): string {
  const folder = join(from, 'node_modules', name)
  if (existsSync(join(folder, 'package.json'))) return folder
  if (dirname(from) === from) throw new Error(`The package ${name} is not installed: run npm ci`)
  return findPackage(name, dirname(from))
}
