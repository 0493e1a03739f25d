import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { describeAgent } from '../describe-agent.ts'
import { needsRoot } from '../tables/needs-root.ts'
import { linuxTables } from './linux-tables.ts'

const nobody = 65_534
let folder = ''
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-closed-'))
})
after(() => rmSync(folder, { recursive: true }))

test('only root reads shadow, sudoers and iptables', () => {
  assert.equal(needsRoot(0), undefined)
  assert.equal(needsRoot(1000), 'the agent does not run as root')
  assert.equal(needsRoot(undefined), 'the agent does not run as root')
  const rootOnly = linuxTables.filter((table) => table.notCollected?.(1000) === 'the agent does not run as root')
  assert.deepEqual(rootOnly.map((table) => table.name).sort(), ['iptables', 'shadow', 'sudoers'])
})

test('the description lists what is read and why the rest is not', () => {
  const user = describeAgent('linux', 1000)
  assert.equal(user.engine, 'own tables')
  assert.ok(user.collected.includes('users') && !user.collected.includes('shadow') && !user.collected.includes('alf'))
  assert.deepEqual(
    user.notCollected.find((each) => each.table === 'shadow'),
    { table: 'shadow', reason: 'the agent does not run as root' },
  )
  assert.ok(user.notes.some((note) => note.includes('Without root')))
  assert.ok(describeAgent('linux', 0).collected.includes('shadow'))
  const elsewhere = describeAgent('darwin', 501)
  assert.equal(elsewhere.engine, 'none')
  assert.match(elsewhere.notes.join(), /osquery is not installed/)
})

/** Runs queries in a process that becomes another user once its code, which that user may be unable to read, is loaded. */
function askAsNobody(queries: string[]): string[] {
  const script = `
    import { openEngine } from ${JSON.stringify(new URL('../sql/open-engine.ts', import.meta.url).href)}
    import { linuxTables } from ${JSON.stringify(new URL('./linux-tables.ts', import.meta.url).href)}
    const engine = await openEngine(linuxTables, ${nobody})
    process.setgroups([])
    process.setgid(${nobody})
    process.setuid(${nobody})
    const facts = { instanceId: '', pid: 1, startedAtUnix: 0, configHash: '', configValid: true, flags: {}, schedule: [] }
    const answers = ${JSON.stringify(queries)}.map((sql) => engine.run(sql, facts, 120_000))
    process.stdout.write(JSON.stringify(answers.map((answer) => (answer.ok ? 'ok ' + answer.rows.length : answer.message))))`
  const run = spawnSync(process.execPath, ['--input-type=module-typescript', '--no-warnings', '-e', script], {
    cwd: '/',
    encoding: 'utf8',
    env: {},
  })
  assert.equal(run.status, 0, run.stderr)
  return JSON.parse(run.stdout) as string[]
}

test('a user who is not root gets "not collected" for what is closed to them, never an empty answer', (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root can become another user')
  const closed = join(folder, 'home')
  mkdirSync(join(closed, 'Desktop'), { recursive: true, mode: 0o700 })
  writeFileSync(join(closed, 'secret'), 'x')
  const refusal = (table: string, path: string) => `not collected: ${table} (${path} may not be read by this user)`
  const cases: [sql: string, answer: RegExp | string][] = [
    ['SELECT * FROM shadow', 'not collected: shadow (the agent does not run as root)'],
    ['SELECT COUNT(*) = 0 FROM sudoers', 'not collected: sudoers (the agent does not run as root)'],
    [`SELECT * FROM file WHERE path LIKE '${closed}/Desktop/Kit%'`, refusal('file', `${closed}/Desktop`)],
    [`SELECT * FROM file WHERE path = '${closed}/secret'`, refusal('file', `${closed}/secret`)],
    [`SELECT * FROM file WHERE directory = '${closed}'`, refusal('file', closed)],
    [`SELECT * FROM hash WHERE path = '${closed}/secret'`, refusal('hash', `${closed}/secret`)],
    ["SELECT * FROM file WHERE path = '/no/such/file'", 'ok 0'],
    ['SELECT uuid FROM system_info', 'ok 1'],
    ['SELECT * FROM processes WHERE pid = 1', 'ok 1'],
    [
      'SELECT * FROM users u CROSS JOIN user_ssh_keys k USING (uid) WHERE u.uid = 0',
      /^not collected: user_ssh_keys \(\/root/,
    ],
    ['SELECT * FROM users u CROSS JOIN chrome_extensions x USING (uid)', /^not collected: chrome_extensions \(\/root/],
  ]
  // The test's own folder must be reachable for the closed one inside it to be what stops the reader.
  spawnSync('chmod', ['711', folder])
  spawnSync('chmod', ['700', closed])
  const answers = askAsNobody(cases.map(([sql]) => sql))
  cases.forEach(([sql, expected], index) => {
    const answer = answers[index] ?? ''
    if (typeof expected === 'string') assert.equal(answer, expected, sql)
    else assert.match(answer, expected, sql)
  })
})
