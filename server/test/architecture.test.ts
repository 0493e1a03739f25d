import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { contexts, featureArrows } from './architecture/arrow-table.ts'
import { brokenArrows } from './architecture/broken-arrows.ts'
import { brokenOwnership, tablesWritten } from './architecture/broken-ownership.ts'
import { causeBeginnings } from './architecture/cause-beginnings.ts'
import { connections, connectionsOf } from './architecture/connections.ts'
import { consoleArrows } from './architecture/console-arrow-table.ts'
import { consoleHomeOf, isConsoleSource, isServerSource, isTest, placeOf } from './architecture/file-role.ts'
import { findImports } from './architecture/find-imports.ts'
import { readSources } from './architecture/read-sources.ts'
import { tableOwners } from './architecture/table-owners.ts'
import { unreadIds } from './architecture/unread-ids.ts'

const sources = await readSources()
const product = sources.filter(({ path }) => !isTest(path))

test('every import, package and global keeps to the architecture', () => {
  assert.deepEqual(sources.flatMap(brokenArrows), [])
})

type Arrows = Readonly<Record<string, readonly string[]>>

const arrowsIn = (table: Arrows) =>
  Object.entries(table).flatMap(([from, targets]) => targets.map((to) => ({ from, to })))

/** The arrows that some file of the product needs, each as "from to". */
const arrowsUsed = (isOurs: (path: string) => boolean, homeOf: (path: string) => string): ReadonlySet<string> =>
  new Set(
    product
      .filter(({ path }) => isOurs(path))
      .flatMap((file) =>
        findImports(file).flatMap(({ target }) =>
          'file' in target && isOurs(target.file) ? [`${homeOf(file.path)} ${homeOf(target.file)}`] : [],
        ),
      ),
  )

const homes = Object.keys(featureArrows)
const arrows = arrowsIn(featureArrows)

test('every arrow leads down: to a folder further below in the table, and to no context above', () => {
  const contextAt = (home: string) => contexts.indexOf(home.split('/')[0] ?? '')
  const upward = arrows.filter(({ from, to }) => {
    const isAboveInTable = homes.includes(to) && homes.indexOf(to) <= homes.indexOf(from)
    return contextAt(from) < 0 || contextAt(to) < contextAt(from) || isAboveInTable
  })
  assert.deepEqual(upward, [])
})

test('every context says in ten lines what it holds', async () => {
  for (const context of contexts) {
    const text = await readFile(new URL(`../src/${context}/README.md`, import.meta.url), 'utf8')
    assert.ok(text.trimEnd().split('\n').length <= 10, `${context}/README.md is longer than ten lines`)
  }
})

test('every arrow between features has an import that needs it', () => {
  const used = arrowsUsed(isServerSource, (path) => placeOf(path).home)
  const unused = arrows.filter(
    ({ from, to }) => (homes.includes(to) || to.startsWith('http')) && !used.has(`${from} ${to}`),
  )
  assert.deepEqual(unused, [])
})

test('every arrow of the console leads down: to a folder or file further below in its table', () => {
  const consoleHomes = Object.keys(consoleArrows)
  const upward = arrowsIn(consoleArrows).filter(
    ({ from, to }) => consoleHomes.indexOf(to) <= consoleHomes.indexOf(from),
  )
  assert.deepEqual(upward, [])
})

test('every arrow of the console has an import that needs it', () => {
  const used = arrowsUsed(isConsoleSource, consoleHomeOf)
  const unused = arrowsIn(consoleArrows).filter(({ from, to }) => !used.has(`${from} ${to}`))
  assert.deepEqual(unused, [])
})

test('everything that takes a connection to the database is listed with what bounds its wait', () => {
  assert.deepEqual(connectionsOf(product), Object.keys(connections).toSorted())
})

test('every table is written by the feature that owns it', () => {
  assert.deepEqual(
    sources.flatMap((file) => brokenOwnership(file, tableOwners)),
    [],
  )
})

test('every route with an identifier in its address answers 404 for what can be none', () => {
  assert.deepEqual(product.flatMap(unreadIds), [])
})

test('the guards see the code they guard', () => {
  const seen = product.flatMap(findImports).length
  assert.ok(product.filter(({ path }) => isServerSource(path)).length > 10, 'the sources of the server are found')
  assert.ok(product.filter(({ path }) => isConsoleSource(path)).length > 10, 'the sources of the console are found')
  assert.ok(seen >= product.length, `${product.length} files have at least as many imports, but only ${seen} were seen`)
  assert.ok(product.flatMap(tablesWritten).length > 0, 'writes are found')
})

test('every body is read by what bounds its memory and its time, never by the framework alone', () => {
  const readers = product.filter(({ path, code }) => isServerSource(path) && /\bparseAs\b/.test(code))
  assert.deepEqual(
    readers.map(({ path }) => path),
    [],
  )
})

/** A name called, or an identifier made where a cause is given. */
const beginsCause = /\b(?:newCause|systemChange)\(|\b(?:cause|txn): randomUUID\(/

test('a cause begins with a request, a person, a clock or a device, and with no job', () => {
  const beginning = product.filter(({ code }) => beginsCause.test(code)).map(({ path }) => path)
  assert.deepEqual(beginning.toSorted(), Object.keys(causeBeginnings).toSorted())
})
