import assert from 'node:assert/strict'
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { after, before, test } from 'node:test'
import { newAgentFacts } from '../protocol/agent-state.ts'
import { type Engine, openEngine } from '../sql/open-engine.ts'
import { bounded } from '../tables/bounded.ts'
import type { Constraint } from '../tables/table.ts'
import { labelsOf, mountsOf, networksOf, portsOf } from './docker-containers.ts'
import { interfaceSettings, parseCpuTime, parseSharedMemory } from './kernel-counters.ts'
import { knownHostsOfHome } from './known-hosts.ts'
import { linuxTables } from './linux-tables.ts'
import { parseWtmp } from './logged-in-users.ts'
import { parseMapping } from './open-files.ts'
import { parsePciIds, pciDevicesOf } from './pci-devices.ts'
import { findCommand } from './run-command.ts'
import { authorizedKeysOfHome, sshConfigOfHome } from './ssh-files.ts'
import { keysOfHome } from './ssh-keys.ts'
import { desktopItems, scriptItems } from './startup-items.ts'
import { suidPrograms } from './suid-bin.ts'

const query = { now: new Date(), facts: newAgentFacts(), remainingMs: () => 1_000 }
/** For a query of the real machine, whose size and other work are not known here. */
const unhurriedMs = 120_000

let engine: Engine
let folder = ''

before(async () => {
  engine = await openEngine(linuxTables, process.getuid?.())
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'muster-more-')))
})
after(() => rmSync(folder, { recursive: true }))

function put(path: string, content: string, mode = 0o644): string {
  const full = join(folder, path)
  mkdirSync(dirname(full), { recursive: true })
  writeFileSync(full, content)
  chmodSync(full, mode)
  return full
}

function rows(sql: string, facts = newAgentFacts()) {
  const answer = engine.run(sql, facts, unhurriedMs)
  assert.ok(answer.ok, answer.ok ? '' : `${sql}: ${answer.message}`)
  return answer.rows
}

function failure(sql: string): string {
  const answer = engine.run(sql, newAgentFacts(), unhurriedMs)
  return answer.ok ? '' : answer.message
}

test('the files that this process holds open are listed, and its sockets and pipes are not', () => {
  const path = put('open/held open.txt', 'x')
  const handle = openSync(path, 'r')
  try {
    const held = rows(`SELECT pid, fd, path FROM process_open_files WHERE pid = ${process.pid}`)
    assert.deepEqual(
      held.filter((row) => row['path'] === path),
      [{ pid: String(process.pid), fd: String(handle), path }],
    )
    assert.ok(held.every((row) => row['path']?.startsWith('/')))
    assert.deepEqual(rows('SELECT * FROM process_open_files WHERE pid = 999999999'), [])
  } finally {
    closeSync(handle)
  }
})

test('the memory of this process is mapped as the kernel says', () => {
  const own = rows(`SELECT * FROM process_memory_map WHERE pid = ${process.pid}`)
  const program = own.find((row) => row['path'] === process.execPath)
  assert.equal(program?.['inode'], String(statSync(process.execPath).ino))
  assert.deepEqual(
    own.filter((row) => row['path'] === '[stack]').map((row) => [row['pseudo'], row['permissions']?.slice(0, 2)]),
    [['1', 'rw']],
  )
  assert.deepEqual(parseMapping('7f1a00000000-7f1a00021000 r-xp 00002000 08:01 131 /opt/my app (deleted)'), {
    ...{ start: '0x7f1a00000000', end: '0x7f1a00021000', permissions: 'r-xp', offset: 8192n, device: '08:01' },
    ...{ inode: 131n, path: '/opt/my app (deleted)', pseudo: 0 },
  })
  assert.equal(parseMapping('nothing'), undefined)
})

test('the log of sign-ins has its records with their kinds', () => {
  const record = Buffer.alloc(384)
  record.writeInt16LE(7, 0)
  record.writeInt32LE(4711, 4)
  record.write('pts/0', 8)
  record.write('ana', 44)
  record.write('10.0.0.7', 76)
  record.writeInt32LE(1_763_600_000, 340)
  const ended = Buffer.from(record)
  ended.writeInt16LE(8, 0)
  const common = { username: 'ana', tty: 'pts/0', pid: 4711, time: 1_763_600_000, host: '10.0.0.7' }
  assert.deepEqual(
    [...parseWtmp(Buffer.concat([record, Buffer.alloc(384), ended, Buffer.alloc(100)]), 'x64')],
    [
      { ...common, type: 7, type_name: 'user-process' },
      { ...common, type: 8, type_name: 'dead-process' },
    ],
  )
  assert.ok(Array.isArray(rows('SELECT username, type_name FROM last WHERE type = 7')))
})

test('programs that run as their owner or group are found, links are not followed', () => {
  put('bin/su', '', 0o4755)
  put('bin/wall', '', 0o2755)
  put('bin/deep/both', '', 0o6711)
  put('bin/plain', '', 0o755)
  put('bin/data', '', 0o4644)
  put('elsewhere/hidden', '', 0o4755)
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'bin/link'))
  symlinkSync(join(folder, 'elsewhere/hidden'), join(folder, 'bin/hidden'))
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'out'))
  symlinkSync(join(folder, 'bin'), join(folder, 'usr-merged'))
  const { uid, gid } = statSync(join(folder, 'bin/su'))
  const names = { users: new Map([[uid, 'owner']]), groups: new Map([[gid, 'group']]) }
  const found = (...roots: string[]) => [
    ...suidPrograms(
      roots.map((root) => join(folder, root)),
      names,
      query,
    ),
  ]
  const common = { username: 'owner', groupname: 'group' }
  const programs = (root: string) => [
    { path: join(folder, root, 'deep/both'), ...common, permissions: 'SG' },
    { path: join(folder, root, 'su'), ...common, permissions: 'S' },
    { path: join(folder, root, 'wall'), ...common, permissions: 'G' },
  ]
  assert.deepEqual(found('bin', 'out', 'missing'), programs('bin'))
  assert.deepEqual(found('usr-merged', 'bin'), [...programs('usr-merged'), ...programs('bin')])
})

test('of the folders of programs only those are read that the path of a query can mean', () => {
  for (const folder of ['wanted/deep', 'wanted/deeper', 'other']) put(`${folder}/su`, '', 0o4755)
  const roots = ['wanted', 'other'].map((name) => join(folder, name))
  const asked = (op: Constraint['op'], value: string) => {
    let entries = 0
    const counting = { ...query, remainingMs: () => (entries += 1) }
    const names = { users: new Map(), groups: new Map() }
    const constraints = [{ column: 'path', op, value: join(folder, value) }]
    const found = [...suidPrograms(roots, names, counting, constraints)].map(({ path }) => relative(folder, `${path}`))
    return { found, entries }
  }
  const both = ['wanted/deep/su', 'wanted/deeper/su']
  assert.deepEqual(asked('like', 'wanted/%'), { found: both, entries: 4 })
  assert.deepEqual(asked('like', 'WANTED/dee_/su'), { found: both, entries: 4 })
  assert.deepEqual(asked('like', 'wanted/deep/%'), { found: both.slice(0, 1), entries: 3 })
  assert.deepEqual(asked('equal', 'other/su'), { found: ['other/su'], entries: 1 })
  assert.deepEqual(asked('equal', 'elsewhere/su'), { found: [], entries: 0 })
  assert.equal(asked('like', '%su').entries, 4 + 1)
  const listed = rows("SELECT path FROM suid_bin WHERE path LIKE '/usr/bin/%'")
  for (const { path } of listed) assert.notEqual(statSync(path ?? '').mode & 0o6000, 0)
  assert.deepEqual(rows("SELECT path FROM suid_bin WHERE path = '/usr/bin'"), [])
})

test('the ticks of each core are those of the kernel', () => {
  const found = rows('SELECT * FROM cpu_time')
  assert.equal(found.length, cpus().length)
  assert.ok(found.every((row) => Number(row['idle']) > 0))
  assert.deepEqual(Object.keys(found[0] ?? {}), [
    ...['core', 'user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal', 'guest', 'guest_nice'],
  ])
  assert.equal(parseCpuTime('cpu  1 2 3 4'), undefined)
  assert.deepEqual(Object.values(parseCpuTime('cpu12 1 2 3 4 5 6 7 8 9 10') ?? {}), [
    ...['12', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10'],
  ])
})

test('segments of shared memory tell their owner, mode and state', () => {
  const line =
    '         0         32778  1600              4194304  2101  2102      2  1000  1000   998   998 1763600001 1763600002 1763600003 4096 0'
  assert.deepEqual(parseSharedMemory(line), {
    ...{ shmid: '32778', owner_uid: '1000', creator_uid: '998', pid: '2102', creator_pid: '2101' },
    ...{ atime: '1763600001', dtime: '1763600002', ctime: '1763600003', permissions: '0600', size: '4194304' },
    ...{ attached: '2', status: 'dest', locked: 0 },
  })
  assert.equal(parseSharedMemory(''), undefined)
  const expected = readFileSync('/proc/sysvipc/shm', 'utf8').trim().split('\n').length - 1
  assert.equal(rows('SELECT * FROM shared_memory').length, expected)
})

test('each interface tells what it does with IPv6', () => {
  for (const [setting, value] of [
    ['hop_limit', '64'],
    ['forwarding', '0'],
    ['accept_redirects', '1'],
    ['accept_ra', '2'],
  ] as const) {
    put(`conf/eth0/${setting}`, `${value}\n`)
    put(`conf/all/${setting}`, `${value}\n`)
  }
  assert.deepEqual(
    [...interfaceSettings(join(folder, 'conf'))],
    [{ interface: 'eth0', hop_limit: '64', forwarding_enabled: '0', redirect_accept: '1', rtadv_accept: '2' }],
  )
  assert.ok(Array.isArray(rows('SELECT interface FROM interface_ipv6 WHERE redirect_accept = 1')))
})

test('known hosts are read in the home, and nothing that a link leads to outside of it', () => {
  const home = join(folder, 'home/ana')
  put('home/ana/.ssh/known_hosts', '# note\n\nexample.com ssh-ed25519 AAAA\n|1|x|y ssh-rsa BBBB\n')
  const file = `${home}/.ssh/known_hosts`
  const expected = ['example.com ssh-ed25519 AAAA', '|1|x|y ssh-rsa BBBB'].map((key) => ({ key, key_file: file }))
  assert.deepEqual([...knownHostsOfHome(home)], expected)
  put('secret', 'root:secret\n')
  mkdirSync(join(folder, 'home/bob/.ssh'), { recursive: true })
  symlinkSync(join(folder, 'secret'), join(folder, 'home/bob/.ssh/known_hosts'))
  mkdirSync(join(folder, 'home/cy'))
  symlinkSync(join(home, '.ssh'), join(folder, 'home/cy/.ssh'))
  for (const name of ['bob', 'cy', 'nobody']) assert.deepEqual([...knownHostsOfHome(join(folder, 'home', name))], [])
  mkdirSync(join(home, 'dotfiles'))
  symlinkSync(join(home, '.ssh/known_hosts'), join(home, 'dotfiles/link'))
  assert.ok(Array.isArray(rows('SELECT key FROM known_hosts WHERE uid = 0')))
})

test('SSH configuration and authorized keys are read in the home, and nothing that a link leads to outside of it', () => {
  const home = join(folder, 'home/eve')
  put('home/eve/.ssh/config', 'Host *\n  ForwardAgent no\n')
  put('home/eve/.ssh/authorized_keys2', 'ssh-ed25519 AAAA eve\n')
  const config = [{ block: 'host *', option: 'forwardagent no', ssh_config_file: `${home}/.ssh/config` }]
  assert.deepEqual([...sshConfigOfHome(home)], config)
  assert.deepEqual(
    [...authorizedKeysOfHome(home)].map(({ key, key_file }) => [key, key_file]),
    [['AAAA', `${home}/.ssh/authorized_keys2`]],
  )
  put('shadow', 'root:secret\nssh-rsa BBBB\n')
  mkdirSync(join(folder, 'home/fay/.ssh'), { recursive: true })
  for (const name of ['config', 'authorized_keys'])
    symlinkSync(join(folder, 'shadow'), join(folder, 'home/fay/.ssh', name))
  const fay = join(folder, 'home/fay')
  const key = '-----BEGIN RSA PRIVATE KEY-----\n'
  put('home/eve/.ssh/id_rsa', key)
  symlinkSync(join(home, '.ssh/id_rsa'), join(folder, 'home/fay/.ssh/id_rsa'))
  assert.equal([...keysOfHome(home)].length, 1)
  assert.deepEqual([...sshConfigOfHome(fay), ...authorizedKeysOfHome(fay), ...keysOfHome(fay)], [])
})

test('what starts with the desktop and the machine is listed with its command', () => {
  const root = join(folder, 'home/dee')
  put(
    'home/dee/.config/autostart/sync.desktop',
    '[Desktop Entry]\nName=Sync\nExec=/opt/sync --quiet now\n[Other]\nExec=x\n',
  )
  put('home/dee/.config/autostart/none.desktop', '[Desktop Entry]\nName=None\n')
  put('home/dee/.config/autostart/readme.txt', '[Desktop Entry]\nExec=x\n')
  put('home/dee/.config/autostart-scripts/mount.sh', '')
  put('shadow.desktop', '[Desktop Entry]\nExec=secret\n')
  symlinkSync(join(folder, 'shadow.desktop'), join(root, '.config/autostart/leak.desktop'))
  const common = { type: 'Startup Item', status: 'enabled', username: 'dee' }
  assert.deepEqual(
    [...desktopItems({ root, folder: '.config/autostart', username: 'dee' }, query)],
    [{ ...common, name: 'Sync', path: '/opt/sync', args: '--quiet now', source: `${root}/.config/autostart` }],
  )
  const source = `${root}/.config/autostart-scripts`
  assert.deepEqual(
    [...scriptItems({ root, folder: '.config/autostart-scripts', username: 'dee' }, query)],
    [{ ...common, name: 'mount.sh', path: `${source}/mount.sh`, args: '', source }],
  )
  assert.deepEqual([...scriptItems({ root, folder: 'missing', username: 'dee' }, query)], [])
  assert.ok(Array.isArray(rows("SELECT name FROM startup_items WHERE source = '/etc/init.d'")))
})

test('PCI devices have the names of the list of identifiers', () => {
  const names = parsePciIds([
    '# comment',
    '8086  Intel Corporation',
    '\t1234  Ethernet Controller',
    '\t\t1028 0001  Laptop Ethernet',
    '1028  Dell',
    'C 02  Network controller',
    '\t00  Ethernet controller',
  ])
  const slot = 'pci/0000:00:1f.6'
  for (const [name, value] of Object.entries({
    ...{ vendor: '0x8086', device: '0x1234', class: '0x020000' },
    ...{ subsystem_vendor: '0x1028', subsystem_device: '0x0001' },
  })) {
    put(`${slot}/${name}`, `${value}\n`)
  }
  mkdirSync(join(folder, 'drivers/e1000e'), { recursive: true })
  symlinkSync(join(folder, 'drivers/e1000e'), join(folder, slot, 'driver'))
  assert.deepEqual(
    [...pciDevicesOf(join(folder, 'pci'), names)],
    [
      {
        ...{ pci_slot: '0000:00:1f.6', pci_class: 'Network controller', driver: 'e1000e', vendor: 'Intel Corporation' },
        ...{ vendor_id: '0x8086', model: 'Ethernet Controller', model_id: '0x1234', pci_class_id: '0x02' },
        ...{ pci_subclass_id: '0x00', pci_subclass: 'Ethernet controller', subsystem_vendor_id: '0x1028' },
        ...{ subsystem_vendor: 'Dell', subsystem_model_id: '0x0001', subsystem_model: 'Laptop Ethernet' },
      },
    ],
  )
  assert.ok(Array.isArray(rows('SELECT pci_slot FROM pci_devices')))
})

test('files are taken for what the program file takes them for, a link for a link', (t) => {
  if (!findCommand('file')) {
    assert.equal(
      failure("SELECT * FROM magic WHERE path = '/x'"),
      'not collected: magic (the program file is not installed)',
    )
    return t.skip('no file(1) here')
  }
  const image = put('magic/image', '\x89PNG\r\n\x1a\n')
  writeFileSync(image, Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))
  const script = put('magic/script', '#!/bin/sh\necho\n')
  symlinkSync(script, join(folder, 'magic/to-script'))
  const found = rows(`SELECT path, data, mime_type, mime_encoding FROM magic WHERE path LIKE '${folder}/magic/%'`)
  assert.deepEqual(
    found.map(({ path, mime_type, mime_encoding }) => [path, mime_type, mime_encoding]),
    [
      [image, 'image/png', 'binary'],
      [script, 'text/x-shellscript', 'us-ascii'],
      [join(folder, 'magic/to-script'), 'inode/symlink', 'binary'],
    ],
  )
  assert.match(found[1]?.['data'] ?? '', /shell script/)
  assert.deepEqual(rows(`SELECT * FROM magic WHERE path = '${folder}/none'`), [])
  assert.equal(failure('SELECT * FROM magic'), 'table magic needs a condition on path')
})

test('containers tell their labels, mounts, networks and ports as docker inspects them', () => {
  const container = {
    Config: { Labels: { 'com.example.team': 'ops' } },
    Mounts: [{ Type: 'bind', Source: '/srv', Destination: '/data', Mode: 'ro', RW: false, Propagation: 'rprivate' }],
    NetworkSettings: {
      Networks: {
        bridge: { NetworkID: 'n1', EndpointID: 'e1', Gateway: '172.17.0.1', IPAddress: '172.17.0.2', IPPrefixLen: 16 },
      },
      Ports: { '80/tcp': [{ HostIp: '0.0.0.0', HostPort: '8080' }], '53/udp': null },
    },
  }
  assert.deepEqual(labelsOf(container), [{ key: 'com.example.team', value: 'ops' }])
  assert.deepEqual(mountsOf(container), [
    {
      ...{ type: 'bind', name: '', source: '/srv', destination: '/data', driver: '', mode: 'ro', rw: 0 },
      propagation: 'rprivate',
    },
  ])
  assert.deepEqual(networksOf(container), [
    {
      ...{ name: 'bridge', network_id: 'n1', endpoint_id: 'e1', gateway: '172.17.0.1', ip_address: '172.17.0.2' },
      ...{ ip_prefix_len: '16', ipv6_gateway: '', ipv6_address: '', ipv6_prefix_len: '', mac_address: '' },
    },
  ])
  assert.deepEqual(portsOf(container), [
    { type: 'tcp', port: '80', host_ip: '0.0.0.0', host_port: '8080' },
    { type: 'udp', port: '53', host_ip: '', host_port: '' },
  ])
  for (const damaged of [{}, { Config: null, Mounts: 'x', NetworkSettings: [] }]) {
    for (const read of [labelsOf, mountsOf, networksOf, portsOf]) assert.deepEqual(read(damaged), [])
  }
})

test('what cannot be answered honestly says why', () => {
  assert.equal(
    failure("SELECT * FROM yara WHERE path = '/bin/sh'"),
    'not collected: yara (this agent has no YARA engine; stock osquery has one)',
  )
  assert.equal(
    failure('SELECT * FROM docker_container_envs'),
    'not collected: docker_container_envs (environments of containers hold secrets and are not read)',
  )
  const labels = engine.run('SELECT * FROM docker_container_labels', newAgentFacts(), unhurriedMs)
  if (!labels.ok) assert.match(labels.message, /^not collected: docker_container_labels \(.+\)$/)
})

test('a table beyond its bound is not collected, since a part would read as the whole', () => {
  const some = [{ n: 1 }, { n: 2 }]
  assert.deepEqual([...bounded(some, 2)], some)
  assert.throws(() => [...bounded(some, 1)], /there are more than 1 rows; ask for fewer/)
})

test('the schedule tells what its queries cost', () => {
  const entry = {
    ...{ name: 'report', query: 'SELECT 1', intervalSeconds: 60, executions: 2, lastExecutedUnix: 1 },
    ...{ wallTimeMs: 40, lastWallTimeMs: 15, outputBytes: 9, userMs: 30, lastUserMs: 10 },
    ...{ systemMs: 6, lastSystemMs: 2, memoryBytes: 4096, lastMemoryBytes: 1024 },
  }
  const sql = `SELECT user_time, last_user_time, system_time, last_system_time, average_memory, last_memory
    FROM osquery_schedule`
  assert.deepEqual(rows(sql, { ...newAgentFacts(), schedule: [entry] }), [
    {
      ...{ user_time: '30', last_user_time: '10', system_time: '6', last_system_time: '2' },
      ...{ average_memory: '2048', last_memory: '1024' },
    },
  ])
})
