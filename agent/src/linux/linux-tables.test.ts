import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { arch, hostname, networkInterfaces, release, tmpdir, totalmem, uptime } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { osqueryColumns } from '@muster/contract/osquery-schema.ts'
import { tablesElsewhere } from '../elsewhere/tables-elsewhere.ts'
import { newAgentFacts } from '../protocol/agent-state.ts'
import { type Engine, openEngine } from '../sql/open-engine.ts'
import { linuxTables } from './linux-tables.ts'

const facts = { ...newAgentFacts(), flags: { config_refresh: '300' } }
/** For a query of the real machine, whose size and other work are not known here. */
const unhurriedMs = 120_000

let engine: Engine
let folder = ''

before(async () => {
  engine = await openEngine(linuxTables, process.getuid?.())
  folder = mkdtempSync(join(tmpdir(), 'muster-tables-'))
})
after(() => rmSync(folder, { recursive: true }))

function rows(sql: string) {
  const answer = engine.run(sql, facts, unhurriedMs)
  assert.ok(answer.ok, answer.ok ? '' : `${sql}: ${answer.message}`)
  return answer.rows
}

/** Rows, or undefined where this machine or user has no such table. */
function rowsIfCollected(sql: string) {
  const answer = engine.run(sql, facts, unhurriedMs)
  if (answer.ok) return answer.rows
  assert.match(answer.message, /^not collected: \w+ \(.+\)$/)
  return undefined
}

function first(sql: string): Record<string, string> {
  const [row] = rows(sql)
  assert.ok(row, `${sql} answers a row`)
  return row
}

const isNumber = (text: string | undefined) => /^-?\d+$/.test(text ?? '')

test('every table answers, is not collected, or asks for a condition', () => {
  for (const { name } of linuxTables) {
    const answer = engine.run(`SELECT * FROM "${name}"`, facts, unhurriedMs)
    const expected = new RegExp(`^(not collected: ${name} \\(.+\\)|table ${name} needs a condition on .+)$`)
    if (!answer.ok) assert.match(answer.message, expected)
  }
})

test('tables and columns are those of osquery, in its order and with its types', () => {
  // osquery hands over the times of certificates as numbers, and cuts inodes at 32 bits.
  const wider = ['certificates.not_valid_before', 'certificates.not_valid_after', 'process_memory_map.inode']
  for (const { name, columns } of linuxTables.filter((table) => !tablesElsewhere.includes(table))) {
    const known = osqueryColumns(name)
    assert.ok(known, name)
    assert.deepEqual(
      Object.entries(columns).filter(([column]) => !wider.includes(`${name}.${column}`)),
      [...known].filter(([column]) => column in columns && !wider.includes(`${name}.${column}`)),
      name,
    )
    for (const column of Object.keys(columns)) assert.ok(known.has(column), `${name}.${column}`)
  }
})

test('numbers are numbers in every row of every table', () => {
  for (const { name, columns, constraintRequired } of linuxTables) {
    if (constraintRequired) continue
    const numeric = Object.entries(columns).filter(([, type]) => type !== 'TEXT')
    for (const row of rowsIfCollected(`SELECT * FROM "${name}"`) ?? []) {
      for (const [column] of numeric) assert.match(row[column] ?? 'missing', /^(-?\d+(\.\d+)?)?$/, `${name}.${column}`)
    }
  }
})

test('the machine names itself as the kernel does', () => {
  const info = first('SELECT * FROM system_info')
  assert.equal(info['hostname'], hostname())
  assert.equal(Number(info['physical_memory']), totalmem())
  assert.equal(info['cpu_type'], { x64: 'x86_64', arm64: 'aarch64' }[arch() as string] ?? info['cpu_type'])
  assert.ok(Number(info['cpu_logical_cores']) >= 1)
  assert.match(info['uuid'] ?? 'missing', /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?$/)
  const uuid = first('SELECT uuid FROM osquery_info')['uuid'] ?? 'missing'
  // A container often has no identity of its own.
  if (uuid === '') assert.ok(!existsSync('/etc/machine-id') || readFileSync('/etc/machine-id', 'utf8').trim() === '')
  else assert.match(uuid, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  assert.equal(first('SELECT version FROM kernel_info')['version'], release())
  assert.ok(Math.abs(Number(first('SELECT total_seconds FROM uptime')['total_seconds']) - uptime()) < 5)
  assert.ok(Math.abs(Number(first('SELECT unix_time FROM time')['unix_time']) - Date.now() / 1000) < 5)
})

test('the agent never claims to be osquery', () => {
  const info = first('SELECT * FROM osquery_info')
  assert.equal(info['version'], '0-standin')
  assert.equal(info['build_platform'], 'standin')
  assert.equal(info['pid'], String(process.pid))
  assert.deepEqual(rows('SELECT name, value FROM osquery_flags'), [{ name: 'config_refresh', value: '300' }])
})

test('the registry knows the tables of this platform from those of others', () => {
  const active = (name: string) =>
    first(`SELECT active FROM osquery_registry WHERE registry = 'table' AND name = '${name}'`)
  assert.deepEqual(active('users'), { active: '1' })
  assert.deepEqual(active('shadow'), { active: '1' })
  assert.deepEqual(active('alf'), { active: '0' })
  assert.deepEqual(rows("SELECT * FROM osquery_registry WHERE name = 'no_such'"), [])
})

test('users and groups are those of the files', () => {
  const lines = (path: string) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => /^[^#:+-][^:]*:/.test(line))
  const fromFile = lines('/etc/passwd').map((line) => line.split(':'))
  assert.deepEqual(
    rows('SELECT username, uid, gid, directory, shell FROM users').map((row) => Object.values(row)),
    fromFile.map(([name, , uid, gid, , home, shell]) => [name, uid, gid, home, shell]),
  )
  assert.equal(rows('SELECT * FROM groups').length, lines('/etc/group').length)
  assert.deepEqual(rows('SELECT uid, gid FROM user_groups WHERE uid = 0 AND gid = 0'), [{ uid: '0', gid: '0' }])
  assert.deepEqual(rows("SELECT username FROM users WHERE uid = '0'"), [{ username: 'root' }])
})

test('this process is listed with its parent, path and user', () => {
  const own = first(`SELECT * FROM processes WHERE pid = ${process.pid}`)
  assert.equal(own['parent'], String(process.ppid))
  assert.equal(own['path'], process.execPath)
  assert.equal(own['uid'], String(process.getuid?.()))
  assert.equal(own['cwd'], process.cwd())
  assert.equal(own['on_disk'], '1')
  assert.ok(Number(own['resident_size']) > 1_000_000)
  assert.ok(Math.abs(Number(own['start_time']) - (Date.now() / 1000 - process.uptime())) < 5)
  assert.ok(rows('SELECT pid FROM processes').length > 1)
  assert.deepEqual(rows('SELECT pid FROM processes WHERE pid = 999999999'), [])
})

test('a port that is listened on is found with the process behind it', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert.ok(address && typeof address === 'object')
  try {
    const sql = `SELECT l.address, l.protocol, l.family, p.pid FROM listening_ports l LEFT JOIN processes p USING (pid) WHERE l.port = ${address.port}`
    assert.deepEqual(rows(sql), [{ address: '127.0.0.1', protocol: '6', family: '2', pid: String(process.pid) }])
    const open = rows(`SELECT state, local_address FROM process_open_sockets WHERE local_port = ${address.port}`)
    assert.deepEqual(open, [{ state: 'LISTEN', local_address: '127.0.0.1' }])
  } finally {
    server.close()
  }
})

test('packages are counted as dpkg counts them', (t) => {
  const format = ['Package', 'Version', 'Architecture'].map((name) => `$\{${name}}`).join('\\t')
  const dpkg = spawnSync('dpkg-query', ['-W', '-f', `${format}\\n`], { encoding: 'utf8' })
  if (dpkg.status !== 0) return t.skip('no dpkg here')
  const expected = dpkg.stdout.trim().split('\n').sort()
  const found = rows('SELECT name, version, arch FROM deb_packages').map((row) => Object.values(row).join('\t'))
  assert.deepEqual(found.sort(), expected)
})

test('files answer by path, by directory and by pattern', () => {
  mkdirSync(join(folder, 'Desktop', 'deep'), { recursive: true })
  const note = join(folder, 'Desktop', '1Password Emergency Kit ana.pdf')
  writeFileSync(note, 'kit', { mode: 0o640 })
  writeFileSync(join(folder, 'Desktop', 'deep', 'other.txt'), 'x')
  symlinkSync(note, join(folder, 'Desktop', 'link'))
  const stats = statSync(note)
  const row = first(`SELECT * FROM file WHERE path = '${note}'`)
  assert.equal(row['mode'], '0640')
  assert.equal(row['size'], '3')
  assert.equal(row['mtime'], String(Math.floor(stats.mtimeMs / 1000)))
  assert.equal(row['inode'], String(stats.ino))
  assert.equal(row['type'], 'regular')
  assert.equal(row['filename'], '1Password Emergency Kit ana.pdf')
  const paths = (where: string) =>
    rows(`SELECT path FROM file WHERE ${where} ORDER BY path`).map((each) => each['path'])
  assert.deepEqual(paths(`path LIKE '${folder}/Desktop/1Password Emergency Kit%'`), [note])
  assert.deepEqual(paths(`path LIKE '${folder}/%/1password%'`), [note])
  assert.deepEqual(paths(`path LIKE '${folder}/%.txt'`), [])
  assert.deepEqual(paths(`path LIKE '${folder}/%%.txt'`), [`${folder}/Desktop/deep/other.txt`])
  assert.deepEqual(paths(`path LIKE '${folder}/%%' AND type = 'regular'`), [
    note,
    `${folder}/Desktop/deep/other.txt`,
    `${folder}/Desktop/link`,
  ])
  assert.deepEqual(paths(`directory = '${folder}/Desktop'`), [note, `${folder}/Desktop/deep`, `${folder}/Desktop/link`])
  assert.deepEqual(paths(`path IN ('${note}', '/no/such/file')`), [note])
  assert.deepEqual(rows(`SELECT symlink, symlink_target_path FROM file WHERE path = '${folder}/Desktop/link'`), [
    { symlink: '1', symlink_target_path: note },
  ])
})

test('hashes are those of the content', () => {
  const path = join(folder, 'hashed')
  const content = Buffer.alloc(600_000, 'muster')
  writeFileSync(path, content)
  const of = (algorithm: string) => createHash(algorithm).update(content).digest('hex')
  assert.deepEqual(rows(`SELECT md5, sha1, sha256 FROM hash WHERE path = '${path}'`), [
    { md5: of('md5'), sha1: of('sha1'), sha256: of('sha256') },
  ])
  assert.equal(rows(`SELECT f.path FROM file f JOIN hash h ON h.path = f.path WHERE f.path = '${path}'`).length, 1)
})

test('the root file system is mounted, with room on it', () => {
  const root = first("SELECT * FROM mounts WHERE path = '/' ORDER BY blocks DESC LIMIT 1")
  assert.ok(Number(root['blocks']) * Number(root['blocks_size']) > 1e9)
  assert.ok(Number(root['blocks_available']) <= Number(root['blocks']))
})

test('addresses and interfaces are those that Node sees', () => {
  const expected = Object.entries(networkInterfaces()).flatMap(([name, list]) =>
    (list ?? []).map((each) => [name, each.address]),
  )
  assert.deepEqual(
    rows('SELECT interface, address FROM interface_addresses').map((row) => Object.values(row)),
    expected,
  )
  const known = rows("SELECT interface, mac FROM interface_details WHERE interface <> 'lo'")
  for (const { interface: name = '', mac } of known) {
    const seen = networkInterfaces()[name]?.[0]
    if (seen) assert.equal(mac, seen.mac)
  }
})

test('kernel settings are read by name and all together', () => {
  const value = readFileSync('/proc/sys/kernel/randomize_va_space', 'utf8').trim()
  assert.deepEqual(
    rows("SELECT current_value, subsystem FROM system_controls WHERE name = 'kernel.randomize_va_space'"),
    [{ current_value: value, subsystem: 'kernel' }],
  )
  assert.deepEqual(rows("SELECT * FROM system_controls WHERE name = '...etc.passwd'"), [])
  const all = rowsIfCollected('SELECT name FROM system_controls') ?? []
  assert.ok(all.some((row) => row['name'] === 'kernel.randomize_va_space'))
})

test('every block device has an answer about encryption', () => {
  const devices = rowsIfCollected('SELECT name FROM block_devices')
  if (!devices) return
  const joined = rows('SELECT b.name, d.encrypted FROM block_devices b LEFT JOIN disk_encryption d ON d.name = b.name')
  for (const row of joined) assert.ok(isNumber(row['encrypted']), row['name'])
})

test('certificate authorities are read from a bundle', (t) => {
  const all = rows('SELECT * FROM certificates')
  if (all.length === 0) return t.skip('no bundle here')
  assert.ok(all.every((row) => /^[0-9a-f]{40}$/.test(row['sha1'] ?? '')))
  assert.ok(all.some((row) => row['ca'] === '1' && row['self_signed'] === '1'))
})

test('tables of other platforms compile and are not collected', () => {
  for (const table of ['alf', 'registry', 'plist', 'programs', 'bitlocker_info']) {
    const answer = engine.run(`SELECT * FROM ${table}`, facts, 1_000)
    assert.match(
      answer.ok ? '' : answer.message,
      new RegExp(`^not collected: ${table} \\(a table of (macOS|Windows)\\)$`),
    )
  }
})
