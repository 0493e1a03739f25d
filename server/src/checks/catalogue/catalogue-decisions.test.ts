import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkFixtures } from '@muster/agent/simulate/check-fixtures.ts'
import { answerQuery, type MissingText, type Tables } from '../../../test/support/check-fixtures/osquery-database.ts'
import { renderSql } from '../../compliance/templates/render-sql.ts'
import { catalogue } from './catalogue.ts'

const missingTexts: MissingText[] = ['', null]

function statusesOf(slug: string, tables: Tables, missingText: MissingText): string[] {
  const check = catalogue.find((candidate) => candidate.slug === slug) ?? assert.fail(`no check ${slug}`)
  const rows = answerQuery(renderSql(check.sql, check.options, {}), tables, missingText)
  return rows.map((row) => String(row['KOLIDE_CHECK_STATUS']))
}

const decisions: { slug: string; when: string; tables: Tables; statuses: string[] }[] = [
  {
    slug: 'macos-os-up-to-date',
    when: 'the release is newer than every listed one',
    tables: { os_version: [{ version: '27.1', major: 27, minor: 1, patch: 0 }] },
    statuses: ['UNKNOWN'],
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
          key: 'HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\Microsoft\\WindowsFirewall\\PrivateProfile',
          name: 'EnableFirewall',
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
          key: 'HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\Microsoft\\Windows NT\\Terminal Services',
          name: 'fDenyTSConnections',
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
    statuses: ['UNKNOWN'],
  },
  {
    slug: 'windows-recent-update',
    when: 'updates were tried for weeks but none succeeded',
    tables: {
      time: [{ unix_time: 1_760_000_000 }],
      windows_update_history: [{ result_code: 'Failed', operation: 'Installation', date: 1_750_000_000 }],
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
    slug: 'browser-extension-deny-list',
    when: 'the browser does not tell whether the extension is on',
    tables: {
      users: [{ uid: 1000, username: 'ana' }],
      chrome_extensions: [
        {
          uid: 1000,
          browser_type: 'edge',
          profile: 'Default',
          identifier: 'klbibkeccnjlkjkiokjodocebajanakg',
          name: 'The Great Suspender',
        },
      ],
    },
    statuses: ['FAIL'],
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
      assert.deepEqual(statusesOf(decision.slug, decision.tables, missingText), decision.statuses)
    }
  })
}
