import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const mapper = new URL('map-stack-traces.js', import.meta.url).href

test('a stack of the bundle names the sources, and that of other files what they are', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-stacks-'))
  t.after(() => rm(folder, { recursive: true }))
  // Line 1, column 1 of the bundle comes from line 5, column 3 of the source.
  const map = { version: 3, sources: ['../server/src/cause.ts'], names: [], mappings: 'AAIE' }
  await writeFile(join(folder, 'main.mjs'), 'export function cause() { throw new Error("of the bundle") }\n')
  await writeFile(join(folder, 'main.mjs.map'), JSON.stringify(map))
  await writeFile(join(folder, 'bare.mjs'), 'export function cause() { throw new Error("without a map") }\n')
  const script = `
    import { mapStackTraces } from ${JSON.stringify(mapper)}
    mapStackTraces(${JSON.stringify(folder)})
    for (const name of ['main.mjs', 'bare.mjs']) {
      const { cause } = await import('file://${folder}/' + name)
      try { cause() } catch (error) { console.log(error.stack) }
    }`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
  assert.match(stdout, /^Error: of the bundle\n +at cause \(file:\/\/.*\/server\/src\/cause\.ts:5:3\)$/m)
  assert.match(stdout, /^Error: without a map\n +at cause \(file:\/\/.*\/bare\.mjs:1:\d+\)$/m)
})
