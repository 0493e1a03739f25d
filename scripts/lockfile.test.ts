import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

type Locked = {
  version?: string
  resolved?: string
  integrity?: string
  hasInstallScript?: boolean
  dev?: boolean
  optional?: boolean
  os?: string[]
  link?: boolean
}

const read = (name: string) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'))
const { packages } = read('package-lock.json') as { packages: Record<string, Locked> }
const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link)
const pathsOf = (found: typeof installed) => found.map(([path]) => path)

test('what is installed is what was locked, by its hash', () => {
  assert.ok(installed.length > 400)
  const unhashed = installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))
  // Development tools that come as one optional package for each platform: npm locks the hash of those it installs.
  const others = unhashed.filter(([, { dev, optional, os }]) => !(dev && optional && os))
  assert.deepEqual(pathsOf(others), [])
})

test('the lockfile names no registry', () => {
  assert.deepEqual(pathsOf(installed.filter(([, { resolved }]) => resolved !== undefined)), [])
})

test('no package runs a program when it is installed but those that are allowed to', () => {
  const { allowScripts } = read('package.json') as { allowScripts: Record<string, boolean> }
  const running = installed.filter(([, { hasInstallScript }]) => hasInstallScript)
  const names = running.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
  assert.deepEqual(
    names.filter((name) => allowScripts[name] !== true),
    [],
  )
})
