import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
before(async () => {
  bench = await openWorkbench()
  await rm(join(bench.folder, 'node_modules'))
})
after(() => bench.remove())

/** Runs the preflight with the claim that Node is of this version. */
function preflight(version: string) {
  const claim = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(claim)}`, join(bench.folder, 'scripts/preflight.js')],
    { encoding: 'utf8' },
  )
  return { code: status, lines: stderr.split('\n').filter((line) => line !== '') }
}

test('the preflight says in one line what stands in the way, and nothing when nothing does', async () => {
  const bare = preflight('24.21.0')
  assert.equal(bare.code, 1)
  assert.equal(bare.lines.length, 1)
  assert.match(bare.lines[0] ?? '', /not installed yet: run `npm ci`/)

  await bench.write({ 'node_modules/.package-lock.json': '{}' })
  const refused = preflight('20.20.2')
  assert.equal(refused.code, 1)
  assert.equal(refused.lines.length, 1)
  assert.match(refused.lines[0] ?? '', /needs Node 24 and this is 20\.20\.2.*install script.*`npm rebuild node /)
  assert.deepEqual(preflight('24.0.0'), { code: 0, lines: [] })
  assert.deepEqual(preflight('26.1.0'), { code: 0, lines: [] })

  await bench.write({ 'node_modules/.bin/.keep': '' })
  await symlink(process.execPath, join(bench.folder, 'node_modules/.bin/node'))
  const bypassed = preflight('22.18.0')
  assert.equal(bypassed.code, 1)
  assert.equal(bypassed.lines.length, 1)
  assert.match(bypassed.lines[0] ?? '', /is in node_modules\/\.bin: use an npm script/)
})
