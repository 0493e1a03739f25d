import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseApparmorProfile } from './access-control.ts'
import { parseGroups, parsePasswd } from './accounts.ts'
import { aptNodes } from './apt-nodes.ts'
import { sshdNodes } from './augeas.ts'
import { encryptionOf } from './block-devices.ts'
import { asctime, timeRow } from './clock.ts'
import { crontabRow } from './crontab.ts'
import { dockerTime } from './docker.ts'
import { parseAddons } from './firefox-addons.ts'
import { iptablesRow } from './iptables.ts'
import { parseMetadata } from './language-packages.ts'
import { parseUtmp } from './logged-in-users.ts'
import { isPlaceholder, machineIdentity, parseCpuinfo } from './machine.ts'
import { unescapeMount } from './mounts.ts'
import { broadcastOf, parseIpv4Route, parseIpv6Route } from './network.ts'
import { osVersionRow } from './os-version.ts'
import { deb822Sources, debPackageRow, oneLineSources, parseStanzas } from './packages.ts'
import { parseStat, parseStatusIds } from './processes.ts'
import { shadowRow } from './shadow.ts'
import { decodeAddress, parseSocketLine } from './sockets.ts'
import { parseAuthorizedKey, parseSshConfig } from './ssh-files.ts'
import { parseSudoers } from './sudoers.ts'
import { parseShownUnits } from './systemd-units.ts'

test('os-release names the distribution and its version', () => {
  const ubuntu = osVersionRow(
    'NAME="Ubuntu"\nVERSION="22.04.4 LTS (Jammy Jellyfish)"\nVERSION_ID="22.04"\nID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=jammy\n# a comment\nPRETTY_NAME=\'With \'',
  )
  const { arch, ...rest } = ubuntu
  assert.notEqual(arch, '')
  assert.deepEqual(rest, {
    name: 'Ubuntu',
    version: '22.04.4 LTS (Jammy Jellyfish)',
    major: 22,
    minor: 4,
    patch: 0,
    build: undefined,
    platform: 'ubuntu',
    platform_like: 'debian',
    codename: 'jammy',
  })
})

test('a rolling release without a version number has version 0', () => {
  assert.equal(osVersionRow('ID=arch\nNAME="Arch Linux"\nBUILD_ID=rolling')['major'], 0)
})

test('the identity falls back to machine-id where DMI has no uuid', () => {
  const machineId = '3d1219c7c4c5404aaa1f6d2a48adfda4'
  const shared = [
    '',
    'Not Settable',
    '00000000-0000-0000-0000-000000000000',
    '03000200-0400-0500-0006-000700080009',
    '00020003-0004-0005-0006-000700080009',
    'FEFEFEFE-FEFE-FEFE-FEFE-FEFEFEFEFEFE',
  ]
  for (const uuid of shared) {
    assert.equal(machineIdentity(uuid, machineId), '3d1219c7-c4c5-404a-aa1f-6d2a48adfda4', uuid)
  }
  assert.equal(
    machineIdentity('4C4C4544-0042-3510-8052-B4C04F4E4D32', machineId),
    '4c4c4544-0042-3510-8052-b4c04f4e4d32',
  )
})

test('what vendors leave in unset fields is no serial', () => {
  for (const value of ['', '0', 'None', 'Default string', 'To be filled by O.E.M.', 'System Serial Number']) {
    assert.ok(isPlaceholder(value), value)
  }
  assert.ok(!isPlaceholder('PF3ABCDE'))
})

test('cpuinfo gives cores and sockets', () => {
  const one = (index: number, socket: number) => [
    `processor\t: ${index}`,
    'model name\t: Fast CPU',
    `physical id\t: ${socket}`,
    'cpu cores\t: 2',
    'microcode\t: 0x1',
  ]
  assert.deepEqual(parseCpuinfo([...one(0, 0), ...one(1, 0), ...one(2, 1), ...one(3, 1)]), {
    brand: 'Fast CPU',
    logical: 4,
    physical: 4,
    sockets: 2,
    microcode: '0x1',
  })
})

test('passwd and group lines are read and broken ones left out', () => {
  assert.deepEqual(parsePasswd(['ana:x:1000:1001:Ana,,,:/home/ana:/bin/bash', 'broken', '+::::::', '']), [
    { name: 'ana', uid: 1000, gid: 1001, description: 'Ana,,,', directory: '/home/ana', shell: '/bin/bash' },
  ])
  assert.deepEqual(parseGroups(['docker:x:998:ana,bob', 'empty:x:5:', '']), [
    { name: 'docker', gid: 998, members: ['ana', 'bob'] },
    { name: 'empty', gid: 5, members: [] },
  ])
})

test('shadow tells the state of a password and not the hash', () => {
  const statusOf = (line: string) => shadowRow(line)?.['password_status']
  assert.equal(statusOf('a::19000:0:99999:7:::'), 'empty')
  assert.equal(statusOf('a:!:19000:0:99999:7:::'), 'locked')
  assert.equal(statusOf('a:*:19000:0:99999:7:::'), 'locked')
  assert.equal(statusOf('a:!!:19000:0:99999:7:::'), 'not_set')
  const row = shadowRow('ana:$6$salt$verysecret:19000:0:99999:7:30::')
  assert.deepEqual(row, {
    password_status: 'active',
    hash_alg: '6',
    last_change: '19000',
    min: '0',
    max: '99999',
    warning: '7',
    inactive: '30',
    expire: '',
    flag: '',
    username: 'ana',
  })
})

test('sudoers lines lose comments, not uids, and continue after a backslash', () => {
  const text = [
    '# comment',
    'Defaults env_reset # why',
    'ana ALL=(ALL) \\',
    '  NOPASSWD: ALL',
    '#1000 ALL=(ALL) ALL',
    '%wheel ALL=(ALL) ALL',
    '@includedir /etc/sudoers.d',
    '#includedir /etc/other.d',
  ].join('\n')
  assert.deepEqual(parseSudoers(text), [
    { header: 'Defaults', details: 'env_reset' },
    { header: 'ana', details: 'ALL=(ALL)    NOPASSWD: ALL' },
    { header: '#1000', details: 'ALL=(ALL) ALL' },
    { header: '%wheel', details: 'ALL=(ALL) ALL' },
    { header: '@includedir', details: '/etc/sudoers.d' },
    { header: '#includedir', details: '/etc/other.d' },
  ])
})

test('sshd_config becomes nodes with the spelling of the manual', () => {
  const path = '/etc/ssh/sshd_config'
  const text = '# c\npermitrootlogin yes # risky\nPort=22\nMatch User ana\n  PasswordAuthentication no\n'
  assert.deepEqual(sshdNodes(path, text), [
    { node: `/files${path}/permitrootlogin`, value: 'yes', label: 'PermitRootLogin', path },
    { node: `/files${path}/Port`, value: '22', label: 'Port', path },
    { node: `/files${path}/Match/Condition`, value: 'User ana', label: 'Condition', path },
    { node: `/files${path}/Match/Settings/PasswordAuthentication`, value: 'no', label: 'PasswordAuthentication', path },
  ])
})

test('apt.conf is read in both of its forms, with comments, lists and blocks of one name', () => {
  const path = '/etc/apt/apt.conf.d/20auto-upgrades'
  const text =
    '// c\nAPT::Periodic::Enable "1"; # d\nAPT {\n  Periodic { Unattended-Upgrade "0"; };\n  Never { "a"; "b;{"; };\n};\n/* e */'
  const rows = aptNodes(path, text).map(({ node, value, label }) => [
    String(node).replace(`/files${path}`, ''),
    value,
    label,
  ])
  assert.deepEqual(rows, [
    ['/#comment[1]', '// c', '#comment'],
    ['/APT[1]', '', 'APT'],
    ['/APT[1]/Periodic', '', 'Periodic'],
    ['/APT[1]/Periodic/Enable', '1', 'Enable'],
    ['/#comment[2]', '# d', '#comment'],
    ['/APT[2]', '', 'APT'],
    ['/APT[2]/Periodic', '', 'Periodic'],
    ['/APT[2]/Periodic/Unattended-Upgrade', '0', 'Unattended-Upgrade'],
    ['/APT[2]/Never', '', 'Never'],
    ['/APT[2]/Never/@elem[1]', 'a', '@elem'],
    ['/APT[2]/Never/@elem[2]', 'b;{', '@elem'],
    ['/#comment[3]', '/* e */', '#comment'],
  ])
  assert.deepEqual(aptNodes(path, '}}; "'), [], 'what is no apt.conf breaks nothing')
})

test('a volume is encrypted only when every way to the disk is', () => {
  const uuids: Record<string, string> = { 'dm-0': 'CRYPT-LUKS2-0011-luks', 'dm-1': 'LVM-abc', 'dm-2': 'LVM-def' }
  const below: Record<string, string[]> = { 'dm-0': ['sda2'], 'dm-1': ['dm-0'], 'dm-2': ['dm-0', 'sdb'], sda2: ['sda'] }
  const facts = { mapperUuid: (name: string) => uuids[name] ?? '', below: (name: string) => below[name] ?? [] }
  assert.deepEqual(encryptionOf('dm-0', facts), { type: 'LUKS2', uuid: '0011' })
  assert.deepEqual(encryptionOf('dm-1', facts), { type: 'LUKS2', uuid: '0011' })
  assert.equal(encryptionOf('dm-2', facts), undefined)
  assert.equal(encryptionOf('sda2', facts), undefined)
})

test('times are UTC in the forms of osquery', () => {
  const now = new Date('2025-10-04T09:05:07.500Z')
  assert.equal(asctime(now), 'Sat Oct  4 09:05:07 2025 UTC')
  assert.deepEqual(timeRow(now, 'Europe/Madrid'), {
    weekday: 'Saturday',
    year: 2025,
    month: 10,
    day: 4,
    hour: 9,
    minutes: 5,
    seconds: 7,
    timezone: 'UTC',
    local_timezone: 'Europe/Madrid',
    unix_time: 1_759_568_707,
    timestamp: 'Sat Oct  4 09:05:07 2025 UTC',
    datetime: '2025-10-04T09:05:07Z',
    iso_8601: '2025-10-04T09:05:07Z',
  })
})

test('mount points with spaces are unescaped', () => {
  assert.equal(unescapeMount('/media/My\\040Disk\\134x'), '/media/My Disk\\x')
})

test('dpkg stanzas keep continuation lines with their field', () => {
  const [first, second] = parseStanzas(
    'Package: bash\nStatus: install ok installed\nVersion: 5.2.15-2+b7\nDescription: shell\n more\n .\n end\n\nPackage: none\nVersion: 1\n',
  )
  assert.equal(first?.['description'], 'shell\nmore\n.\nend')
  assert.equal(debPackageRow(first ?? {})['revision'], '2+b7')
  assert.equal(debPackageRow(second ?? {})['revision'], '')
})

test('APT sources of both styles are listed, disabled ones not', () => {
  const uris = (rows: Iterable<Record<string, unknown>>) =>
    [...rows].map((row) => [row['base_uri'], row['release'], row['components'], row['architectures']])
  const lines =
    '# no\ndeb [arch=amd64,arm64 signed-by=/x] https://a.example/debian bookworm main contrib # c\ndeb-src http://b.example ./\n'
  assert.deepEqual(uris(oneLineSources('f', lines)), [
    ['https://a.example/debian', 'bookworm', 'main contrib', 'amd64 arm64'],
    ['http://b.example', './', '', ''],
  ])
  const modern =
    'Types: deb\nURIs: https://a.example\nSuites: s1 s2\nComponents: main\n\nEnabled: no\nURIs: https://b.example\nSuites: s\n'
  assert.deepEqual(uris(deb822Sources('f', modern)), [
    ['https://a.example', 's1', 'main', ''],
    ['https://a.example', 's2', 'main', ''],
  ])
})

test('the name of a process may hold spaces and brackets', () => {
  const { name, fields } = parseStat('42 (a) (b c) S 1 42 42 0 -1')
  assert.equal(name, 'a) (b c')
  assert.deepEqual(fields.slice(0, 3), ['S', '1', '42'])
  assert.deepEqual(parseStatusIds('Name:\tx\nUid:\t1000\t1001\t1002\t1003\n', 'Uid'), ['1000', '1001', '1002', '1003'])
})

test('addresses of /proc/net are decoded', () => {
  assert.equal(decodeAddress('0100007F'), '127.0.0.1')
  assert.equal(decodeAddress('00000000'), '0.0.0.0')
  assert.equal(decodeAddress('00000000000000000000000001000000'), '::1')
  assert.equal(decodeAddress('0000000000000000FFFF00000100007F'), '::ffff:127.0.0.1')
  assert.equal(decodeAddress('B80D01200000000067452301EFCDAB89'), '2001:db8::123:4567:89ab:cdef')
})

test('a line of /proc/net/tcp becomes a socket', () => {
  const line = '   0: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1528 1 0'
  assert.deepEqual(parseSocketLine(line, 2, 6), {
    inode: '1528',
    family: 2,
    protocol: 6,
    localAddress: '0.0.0.0',
    localPort: 22,
    remoteAddress: '0.0.0.0',
    remotePort: 0,
    state: 'LISTEN',
  })
  assert.equal(parseSocketLine('', 2, 6), undefined)
})

test('routes of both families are decoded', () => {
  assert.deepEqual(parseIpv4Route('eth0\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0'), {
    destination: '0.0.0.0',
    netmask: 0,
    gateway: '192.0.2.1',
    source: '',
    flags: 3,
    interface: 'eth0',
    mtu: '0',
    metric: '100',
    type: 'gateway',
    hopcount: 0,
  })
  const none = '0'.repeat(32)
  const route = (flags: string) =>
    `fd000000000000000000000000000000 40 ${none} 00 ${none} 00000100 00000001 00000000 ${flags}     eth0`
  const row = parseIpv6Route(route('00000001'))
  assert.deepEqual([row?.['destination'], row?.['netmask'], row?.['gateway'], row?.['metric']], ['fd00::', 64, '', 256])
  assert.equal(parseIpv6Route(route('80200001')), undefined)
  assert.equal(broadcastOf('192.0.2.2', '255.255.255.0'), '192.0.2.255')
})

test('iptables rules and policies become rows', () => {
  assert.deepEqual(iptablesRow('filter', '-P INPUT DROP'), { filter_name: 'filter', chain: 'INPUT', policy: 'DROP' })
  assert.equal(iptablesRow('filter', '-N ufw-user-input'), undefined)
  const row = iptablesRow(
    'filter',
    '-A ufw-user-input -s 10.0.0.0/8 -i eth0 -p tcp -m tcp --dport 22 -m comment --comment "a b" -j ACCEPT',
  )
  const { chain, target, protocol, dst_port, src_ip, src_mask, iniface, match } = row ?? {}
  assert.deepEqual(
    [chain, target, protocol, dst_port, src_ip, src_mask, iniface, match],
    ['ufw-user-input', 'ACCEPT', 6, '22', '10.0.0.0', '8', 'eth0', 'yes'],
  )
})

test('units of systemctl show become rows', () => {
  const text =
    'Id=ssh.service\nDescription=OpenBSD = server\nActiveState=active\nJob=\n\nId=apt-daily.timer\nActiveState=inactive\nJob=7\n'
  assert.deepEqual(
    parseShownUnits(text).map((row) => [row['id'], row['description'], row['active_state'], row['job_id']]),
    [
      ['ssh.service', 'OpenBSD = server', 'active', 0],
      ['apt-daily.timer', undefined, 'inactive', '7'],
    ],
  )
})

test('AppArmor profiles give name and mode', () => {
  assert.deepEqual(parseApparmorProfile('/usr/bin/man (enforce)'), {
    path: '',
    name: '/usr/bin/man',
    attach: '',
    mode: 'enforce',
    sha1: '',
  })
  assert.equal(parseApparmorProfile(''), undefined)
})

test('ssh options stand under their host', () => {
  assert.deepEqual(
    [...parseSshConfig(['Host *.example', '  User ana', '# c', '', 'Match all', 'ForwardAgent yes'])],
    [
      { block: 'host *.example', option: 'user ana' },
      { block: 'match all', option: 'forwardagent yes' },
    ],
  )
})

test('authorized keys may begin with options', () => {
  assert.deepEqual(parseAuthorizedKey('from="10.0.0.1",command="echo hi" ssh-ed25519 AAAAC3 ana@laptop x'), {
    algorithm: 'ssh-ed25519',
    key: 'AAAAC3',
    options: 'from="10.0.0.1",command="echo hi"',
    comment: 'ana@laptop x',
  })
  assert.equal(parseAuthorizedKey('# comment'), undefined)
})

test('crontab lines are read, assignments are not', () => {
  const row = (line: string) => crontabRow(line)
  assert.equal(row('SHELL=/bin/sh'), undefined)
  assert.equal(row('# x'), undefined)
  assert.deepEqual(row('@daily root run me'), {
    event: '@daily',
    minute: '',
    hour: '',
    day_of_month: '',
    month: '',
    day_of_week: '',
    command: 'root run me',
  })
  assert.deepEqual(row('5 4 * * sun  echo a  b')?.['command'], 'echo a b')
})

test('add-ons of Firefox tell whether they run', () => {
  const json = JSON.stringify({
    addons: [
      { id: 'a@x', type: 'extension', version: '1', active: true, visible: true, defaultLocale: { name: 'A' } },
      { id: 'b@x', userDisabled: true, applyBackgroundUpdates: 0, sourceURI: null },
    ],
  })
  assert.deepEqual(
    parseAddons(json).map((row) => [row['identifier'], row['name'], row['active'], row['disabled'], row['autoupdate']]),
    [
      ['a@x', 'A', 1, 0, 1],
      ['b@x', undefined, 0, 1, 0],
    ],
  )
})

test('the header of Python metadata ends at the empty line', () => {
  assert.deepEqual(parseMetadata('Name: x\nVersion: 1\nClassifier: a\nClassifier: b\n\nName: body'), {
    name: 'x',
    version: '1',
    classifier: 'a',
  })
})

test('the times of docker are read with their zone', () => {
  assert.equal(dockerTime('2026-11-20 10:00:00 +0100 CET'), Date.parse('2026-11-20T09:00:00Z') / 1000)
  assert.equal(dockerTime(''), null)
})

test('the records of utmp are sessions, empty ones are not', () => {
  const record = Buffer.alloc(384)
  record.writeInt16LE(7, 0)
  record.writeInt32LE(4242, 4)
  record.write('pts/0', 8)
  record.write('ana', 44)
  record.write('192.0.2.7', 76)
  record.writeInt32LE(1_760_436_000, 340)
  assert.deepEqual(parseUtmp(Buffer.concat([Buffer.alloc(384), record, Buffer.alloc(10)]), 'x64'), [
    { type: 'user', user: 'ana', tty: 'pts/0', host: '192.0.2.7', time: 1_760_436_000, pid: 4242 },
  ])
})
