import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { newAgentFacts } from '../protocol/agent-state.ts'
import { findOsqueryi, osqueryiRunner } from './osqueryi-runner.ts'

const facts = newAgentFacts()
let folder = ''
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-osqueryi-'))
})
after(() => rmSync(folder, { recursive: true }))

/** A program in osqueryi's place that answers as its shell does. */
function program(body: string): string {
  const path = join(folder, `osqueryi-${Math.random()}`)
  writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 })
  return path
}

test('the rows of osqueryi are the answer, and the SQL reaches it as one argument', async () => {
  const runner = osqueryiRunner(program(`printf '[{"flag":"%s","sql":"%s"}]' "$1" "$2"`))
  const answer = await runner.run("-- why\\nSELECT '$(id)'", facts)
  assert.deepEqual(answer.ok ? answer.rows : answer.message, [{ flag: '--json', sql: " -- why\nSELECT '$(id)'" }])
})

test('an error of osqueryi is the message of a failed query', async () => {
  const runner = osqueryiRunner(program('echo "Error: no such table: x" >&2; exit 1'))
  const answer = await runner.run('SELECT * FROM x', facts)
  assert.equal(answer.ok ? '' : answer.message, 'no such table: x')
})

test('an osqueryi that does not answer is stopped', async () => {
  const runner = osqueryiRunner(program('exec sleep 20'), { limitMs: 100 })
  const answer = await runner.run('SELECT 1', facts)
  assert.equal(answer.ok ? '' : answer.message, 'query interrupted after 0.1 s')
})

test('what is no JSON, and a command of the shell, are failures', async () => {
  const broken = await osqueryiRunner(program('echo oops')).run('SELECT 1', facts)
  assert.equal(broken.ok ? '' : broken.message, 'osqueryi did not answer JSON')
  const command = await osqueryiRunner(program('echo "[]"')).run(' .help', facts)
  assert.equal(command.ok ? '' : command.message, 'not SQL')
})

test('Linux has its own tables and looks for no osqueryi', () => {
  assert.equal(findOsqueryi('linux'), undefined)
})
