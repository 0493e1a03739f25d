import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkFixtures } from '@muster/agent/simulate/check-fixtures.ts'
import { osqueryColumns } from '../../../test/support/check-fixtures/osquery-columns.ts'
import { answerQuery, type MissingText, type Tables } from '../../../test/support/check-fixtures/osquery-database.ts'
import { optionFault } from '../templates/option-kinds.ts'
import { parseOptions } from '../templates/options.ts'
import { renderSql } from '../templates/render-sql.ts'
import { renderText } from '../templates/render-text.ts'
import { catalogue } from './catalogue.ts'
import type { CatalogueCheck } from './catalogue-check.ts'

const statuses = ['PASS', 'FAIL', 'UNKNOWN', 'INAPPLICABLE', 'ERROR']
const missingTexts: MissingText[] = ['', null]

function run(check: CatalogueCheck, tables: Tables, missingText: MissingText = '') {
  return answerQuery(renderSql(check.sql, check.options, {}), tables, missingText)
}

function statusesOf(check: CatalogueCheck, tables: Tables, missingText: MissingText = ''): string[] {
  return run(check, tables, missingText).map((row) => String(row['KOLIDE_CHECK_STATUS']))
}

function fixtureOf(check: CatalogueCheck) {
  const fixture = checkFixtures[check.slug]
  assert.ok(fixture, `${check.slug} has no fixture`)
  return fixture
}

function named(slug: string): CatalogueCheck {
  const check = catalogue.find((candidate) => candidate.slug === slug)
  return check ?? assert.fail(`no check ${slug}`)
}

function defaultOptions(check: CatalogueCheck) {
  const parsed = parseOptions(check.options, {})
  return 'ok' in parsed ? parsed.ok : assert.fail(JSON.stringify(parsed.errors))
}

for (const check of catalogue) {
  test(`${check.slug} passes on its passing fixture`, () => {
    for (const missingText of missingTexts) {
      const answered = statusesOf(check, fixtureOf(check).pass, missingText)
      assert.ok(answered.includes('PASS'), answered.join())
      assert.deepEqual(
        answered.filter((status) => status !== 'PASS' && status !== 'INAPPLICABLE'),
        [],
      )
    }
  })

  test(`${check.slug} fails on its failing fixture and names what fails`, () => {
    for (const missingText of missingTexts) {
      const rows = run(check, fixtureOf(check).fail, missingText)
      assert.ok(rows.every((row) => statuses.includes(String(row['KOLIDE_CHECK_STATUS']))))
      const failing = rows.filter((row) => row['KOLIDE_CHECK_STATUS'] === 'FAIL')
      assert.ok(failing.length > 0, JSON.stringify(rows))
      if (check.primaryKeyColumn === null) assert.equal(rows.length, 1)
      const column = check.primaryKeyColumn
      if (column === null) continue
      const keys = failing.map((row) => row[column])
      assert.ok(
        keys.every((key) => typeof key === 'string' && key !== '' && key !== 'none'),
        keys.join(),
      )
      assert.equal(new Set(keys).size, keys.length)
    }
  })

  test(`${check.slug} neither passes nor fails without any collected row`, () => {
    const expected = check.slug === 'windows-tpm' ? ['FAIL'] : ['UNKNOWN', 'INAPPLICABLE']
    const answered = statusesOf(check, {})
    assert.ok(answered.length > 0 && answered.every((status) => expected.includes(status)), answered.join())
  })

  test(`${check.slug} does not depend on the rows of tables that hold nothing of interest`, () => {
    for (const kind of ['pass', 'fail'] as const) {
      const tables = fixtureOf(check)[kind]
      assert.deepEqual(
        statusesOf(check, { processes: [{ pid: 1, name: 'init' }], ...tables }),
        statusesOf(check, tables),
      )
    }
  })

  test(`${check.slug} has texts that render with and without failing rows`, () => {
    const options = defaultOptions(check)
    const failing = run(check, fixtureOf(check).fail).filter((row) => row['KOLIDE_CHECK_STATUS'] === 'FAIL')
    for (const rows of [[], failing]) {
      for (const template of [check.rationale, check.fixInstructions]) {
        const text = renderText(template, { options, rows })
        assert.doesNotMatch(text, /\{\{|\{%|undefined|\[object|``$/m)
        assert.ok(text.length > 60, text)
      }
    }
  })

  test(`${check.slug} is described in plain, complete words`, () => {
    assert.match(check.slug, /^[a-z0-9]+(-[a-z0-9]+)*$/)
    assert.ok(check.issueTitle.length <= 80 && !check.issueTitle.endsWith('.'))
    assert.ok(check.name.length <= 80 && check.description.endsWith('.') && check.topics.length > 0)
    assert.match(check.fixInstructions, /^1\. /m)
    const sentences = check.rationale.match(/[.?!](\s|$)/g) ?? []
    assert.ok(sentences.length >= 2 && sentences.length <= 4, `${sentences.length} sentences`)
    for (const definition of Object.values(check.options)) {
      assert.equal(optionFault(definition, definition.default, 'default'), undefined)
    }
  })
}

test('there are 51 checks, each with its own slug and one fixture', () => {
  const slugs = catalogue.map((check) => check.slug)
  assert.equal(slugs.length, 51)
  assert.equal(new Set(slugs).size, 51)
  assert.deepEqual(Object.keys(checkFixtures).sort(), [...slugs].sort())
})

for (const platform of ['darwin', 'windows', 'linux'] as const) {
  test(`at least eight checks run from the first start on ${platform}`, () => {
    const enabled = catalogue.filter((check) => check.enabledByDefault && check.platforms.includes(platform))
    assert.ok(enabled.length >= 8, `${enabled.length}`)
  })
}

test('checks that need to know the organization wait for it', () => {
  const waiting = [
    'browser-extension-deny-list',
    'linux-exposed-services',
    'linux-required-service',
    'macos-password-manager',
    'osquery-up-to-date',
  ]
  for (const slug of waiting) assert.equal(named(slug).enabledByDefault, false, slug)
})

test('every table that a check reads is a known osquery table', () => {
  for (const check of catalogue) {
    const sql = renderSql(check.sql, check.options, {})
    const defined = [...sql.matchAll(/(?:WITH|,)\s+(\w+)\s*(?:\([^)]*\))?\s+AS\s+\(/g)].map((match) => match[1])
    const read = [...sql.matchAll(/(?:FROM|JOIN)\s+(\w+)/g)].map((match) => match[1] ?? '')
    const unknown = read.filter((table) => !(table in osqueryColumns) && !defined.includes(table))
    assert.deepEqual(unknown, [], check.slug)
    assert.ok(
      read.some((table) => table in osqueryColumns),
      check.slug,
    )
  }
})

const decisions: { slug: string; when: string; tables: Tables; statuses: string[] }[] = [
  {
    slug: 'macos-os-up-to-date',
    when: 'the release is newer than every listed one',
    tables: { os_version: [{ version: '27.1', major: 27, minor: 1, patch: 0 }] },
    statuses: ['PASS'],
  },
  {
    slug: 'macos-os-up-to-date',
    when: 'the release is older than every listed one',
    tables: { os_version: [{ version: '12.7', major: 12, minor: 7, patch: 0 }] },
    statuses: ['FAIL'],
  },
  {
    slug: 'macos-os-up-to-date',
    when: 'the version leaves out the last zero',
    tables: { os_version: [{ version: '14.8', major: 14, minor: 8, patch: 0 }] },
    statuses: ['PASS'],
  },
  {
    slug: 'windows-firewall',
    when: 'a group policy turns off what the local setting turns on',
    tables: {
      registry: [
        ...(checkFixtures['windows-firewall']?.pass['registry'] ?? []),
        {
          path: 'HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\Microsoft\\WindowsFirewall\\PrivateProfile\\EnableFirewall',
          data: '0',
        },
      ],
    },
    statuses: ['PASS', 'FAIL', 'PASS'],
  },
  {
    slug: 'windows-remote-desktop',
    when: 'a group policy refuses what the local setting allows',
    tables: {
      registry: [
        ...(checkFixtures['windows-remote-desktop']?.fail['registry'] ?? []),
        {
          path: 'HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\Microsoft\\Windows NT\\Terminal Services\\fDenyTSConnections',
          data: '1',
        },
      ],
    },
    statuses: ['PASS'],
  },
  {
    slug: 'windows-os-up-to-date',
    when: 'the build is newer than every listed one',
    tables: { os_version: [{ build: '28000', revision: 1 }] },
    statuses: ['PASS'],
  },
  {
    slug: 'windows-recent-update',
    when: 'updates were tried but none succeeded',
    tables: {
      time: [{ unix_time: 1_760_000_000 }],
      windows_update_history: [{ result_code: 'Failed', operation: 'Installation', date: 1_759_900_000 }],
    },
    statuses: ['FAIL'],
  },
  {
    slug: 'windows-bitlocker',
    when: 'the protection of a drive is not known',
    tables: { bitlocker_info: [{ drive_letter: 'C:', protection_status: 2 }] },
    statuses: ['UNKNOWN'],
  },
  {
    slug: 'linux-firewall',
    when: 'ufw is active and its rules cannot be seen',
    tables: { systemd_units: [{ id: 'ufw.service', active_state: 'active' }] },
    statuses: ['UNKNOWN'],
  },
  {
    slug: 'linux-firewall',
    when: 'ufw has loaded its chains',
    tables: {
      systemd_units: [{ id: 'ufw.service', active_state: 'active' }],
      iptables: [{ chain: 'ufw-before-input', policy: '' }],
    },
    statuses: ['PASS'],
  },
  {
    slug: 'linux-firewall',
    when: 'no service and no rule is there',
    tables: { systemd_units: [{ id: 'cron.service', active_state: 'active' }] },
    statuses: ['FAIL'],
  },
  {
    slug: 'linux-disk-encryption',
    when: 'the agent may not read the encryption state',
    tables: { mounts: [{ path: '/', device: '/dev/sda1', device_alias: '/dev/sda1' }] },
    statuses: ['UNKNOWN', 'INAPPLICABLE'],
  },
  {
    slug: 'linux-unattended-upgrades',
    when: 'the distribution is not of the Debian family',
    tables: { os_version: [{ platform: 'fedora', platform_like: '' }] },
    statuses: ['INAPPLICABLE'],
  },
  {
    slug: 'linux-pending-reboot',
    when: 'the distribution is not of the Debian family',
    tables: { file: [{ path: '/etc/passwd' }] },
    statuses: ['INAPPLICABLE'],
  },
  {
    slug: 'linux-os-supported',
    when: 'the distribution is not listed',
    tables: { os_version: [{ platform: 'arch', version: '' }] },
    statuses: ['INAPPLICABLE'],
  },
  {
    slug: 'linux-os-supported',
    when: 'the major release is that of the floor and the minor below it',
    tables: { os_version: [{ platform: 'ubuntu', major: 22, minor: 2 }] },
    statuses: ['FAIL'],
  },
  {
    slug: 'linux-sshd-root-login',
    when: 'a file in sshd_config.d comes before the main file',
    tables: {
      ...(checkFixtures['linux-sshd-root-login']?.fail ?? {}),
      file: [{ path: '/etc/ssh/sshd_config.d/50-cloud.conf' }],
      augeas: [
        { path: '/etc/ssh/sshd_config', label: 'PermitRootLogin', value: 'yes' },
        { path: '/etc/ssh/sshd_config.d/50-cloud.conf', label: 'permitrootlogin', value: 'no' },
      ],
    },
    statuses: ['PASS'],
  },
  {
    slug: 'linux-sshd-root-login',
    when: 'only a Match block lets root in',
    tables: {
      systemd_units: [{ id: 'ssh.socket', active_state: 'active' }],
      augeas: [
        {
          node: '/files/etc/ssh/sshd_config/Match/Settings/PermitRootLogin',
          path: '/etc/ssh/sshd_config',
          label: 'PermitRootLogin',
          value: 'yes',
        },
      ],
    },
    statuses: ['PASS'],
  },
  {
    slug: 'linux-sshd-root-login',
    when: 'sshd does not run',
    tables: { systemd_units: [{ id: 'ssh.service', active_state: 'inactive' }] },
    statuses: ['INAPPLICABLE'],
  },
  {
    slug: 'linux-sshd-root-login',
    when: 'sshd runs and its configuration cannot be seen',
    tables: { systemd_units: [{ id: 'ssh.service', active_state: 'active' }] },
    statuses: ['UNKNOWN'],
  },
  {
    slug: 'linux-sudo-nopasswd',
    when: 'a Defaults line asks nobody for a password',
    tables: { sudoers: [{ source: '/etc/sudoers', header: 'Defaults', rule_details: '!authenticate' }] },
    statuses: ['FAIL'],
  },
  {
    slug: 'macos-time-machine-encrypted',
    when: 'there is no destination',
    tables: {},
    statuses: ['INAPPLICABLE'],
  },
  {
    slug: 'macos-automatic-updates',
    when: 'a managed setting overrides the local file',
    tables: {
      ...(checkFixtures['macos-automatic-updates']?.fail ?? {}),
      managed_policies: [{ domain: 'com.apple.SoftwareUpdate', name: 'AutomaticDownload', value: '1' }],
    },
    statuses: ['PASS', 'PASS', 'PASS', 'PASS'],
  },
]
for (const decision of decisions) {
  test(`${decision.slug} answers ${decision.statuses.join(', ')} when ${decision.when}`, () => {
    for (const missingText of missingTexts) {
      assert.deepEqual(statusesOf(named(decision.slug), decision.tables, missingText), decision.statuses)
    }
  })
}
