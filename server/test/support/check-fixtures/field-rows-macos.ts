import type { FieldCase } from './field-case.ts'
import { macosProtectionFieldRows } from './field-rows-macos-protection.ts'
import { agentOn, app, macOs, managed, plist } from './macos-rows.ts'

const updateFile = '/Library/Preferences/com.apple.SoftwareUpdate.plist'
const loginFile = '/Library/Preferences/com.apple.loginwindow.plist'
const updateDomain = 'com.apple.SoftwareUpdate'
const updateTrace = { LastResultCode: '2', LastSuccessfulDate: '1749600000' }
const loginTrace = { lastUser: 'loggedIn' }
const otherProfile = { domain: 'com.apple.screensaver', name: 'idleTime', value: '900' }
const on = ['PASS', 'PASS', 'PASS', 'PASS'] as const
const unknown = ['UNKNOWN', 'UNKNOWN', 'UNKNOWN', 'UNKNOWN'] as const

const automaticUpdates: readonly Omit<FieldCase, 'slug'>[] = [
  {
    when: 'nobody ever changed a setting on macOS 14',
    source: 'mondoo mql test data: rows of a fresh 14.6.1',
    tables: { os_version: [macOs('14.6.1')], plist: plist(updateFile, updateTrace) },
    says: on,
  },
  {
    when: 'only the installing of macOS updates is off',
    source: 'drata-agent #27: rows of 14.5 with one switch off',
    tables: {
      os_version: [macOs('14.5')],
      plist: plist(updateFile, { ...updateTrace, AutomaticallyInstallMacOSUpdates: '0' }),
    },
    says: on,
  },
  {
    when: 'an old value of a switch that macOS 15 no longer has is off',
    source:
      'kolide launcher PR 1891 and macos_security #437: the switch is gone; the combination of values is inferred',
    tables: {
      os_version: [macOs('15.7.1')],
      plist: plist(updateFile, {
        AutomaticCheckEnabled: '0',
        AutomaticDownload: '1',
        CriticalUpdateInstall: '1',
        ConfigDataInstall: '1',
      }),
    },
    says: ['INAPPLICABLE', 'PASS', 'PASS', 'PASS'],
  },
  {
    when: 'the check for updates is off on macOS 14',
    source: 'Apple schema of the SoftwareUpdate profile: false turns off the switch',
    tables: { os_version: [macOs('14.8')], plist: plist(updateFile, { AutomaticCheckEnabled: '0' }) },
    says: ['FAIL', 'PASS', 'PASS', 'PASS'],
  },
  {
    when: 'downloading is off on a Mac of macOS 27 that nobody manages',
    source: 'Fleet #53594: release 27.0; the value as plist tables show one that is off',
    tables: { os_version: [macOs('27.0')], plist: plist(updateFile, { AutomaticDownload: 'false' }) },
    says: ['INAPPLICABLE', 'FAIL', 'PASS', 'PASS'],
  },
  {
    when: 'a managed Mac of macOS 27 shows one setting as off, one as on and one not at all',
    source: 'OpenIntuneBaseline #192 and tuist PR 13399: the profile is gone in 27, declarations leave no row',
    tables: {
      os_version: [macOs('27.0')],
      plist: plist(updateFile, { AutomaticDownload: '0', CriticalUpdateInstall: '1' }),
      managed_policies: [otherProfile],
    },
    says: ['INAPPLICABLE', 'UNKNOWN', 'PASS', 'UNKNOWN'],
  },
  {
    when: 'a managed Mac of macOS 26 has nothing set',
    source: 'tuist PR 13399: the profile is deprecated in 26 and still read',
    tables: {
      os_version: [macOs('26.5.2')],
      plist: plist(updateFile, updateTrace),
      managed_policies: [otherProfile],
    },
    says: ['INAPPLICABLE', 'PASS', 'PASS', 'PASS'],
  },
  {
    when: 'a profile turns on one setting and the local file cannot be read',
    source: 'osquery source: plist has no row of a file that is not there or not readable',
    tables: { os_version: [macOs('14.8')], managed_policies: managed(updateDomain, { ConfigDataInstall: '1' }) },
    says: ['UNKNOWN', 'UNKNOWN', 'UNKNOWN', 'PASS'],
  },
  {
    when: 'a profile turns off what the local file turns on',
    source: 'Apple schema of the SoftwareUpdate profile: false prevents the person from changing it',
    tables: {
      os_version: [macOs('14.8')],
      plist: plist(updateFile, { CriticalUpdateInstall: '1' }),
      managed_policies: managed(updateDomain, { CriticalUpdateInstall: '0' }),
    },
    says: ['PASS', 'PASS', 'FAIL', 'PASS'],
  },
  {
    when: 'the local file cannot be read',
    source: 'osquery source: plist has no row of a file that is not there or not readable',
    tables: { os_version: [macOs('14.8')] },
    says: unknown,
  },
  {
    when: 'the release of macOS is not known and the old switch is off',
    source: 'osquery source: os_version without a row',
    tables: { plist: plist(updateFile, { AutomaticCheckEnabled: '0' }) },
    says: ['FAIL', 'PASS', 'PASS', 'PASS'],
  },
]

const osUpToDate: readonly Omit<FieldCase, 'slug'>[] = [
  {
    when: 'the release is newer than every listed one',
    source: 'Fleet #53594: 27.0, build 26A428',
    tables: { os_version: [macOs('27.0', '26A428')] },
    says: ['UNKNOWN'],
  },
  {
    when: 'the version has two parts',
    source: 'osquery #8804: 26.3, build 25D125; patch is empty',
    tables: { os_version: [macOs('26.3', '25D125')] },
    says: ['PASS'],
  },
  {
    when: 'the version has two parts and is the floor',
    source: 'osquery source: patch is empty for 15.7',
    tables: { os_version: [macOs('15.7')] },
    says: ['PASS'],
  },
  {
    when: 'the version has three parts',
    source: 'osquery source: three parts fill major, minor and patch',
    tables: { os_version: [macOs('15.7.1')] },
    says: ['PASS'],
  },
  {
    when: 'a security response stands behind the version',
    source: 'osquery source: the supplemental version ends in (a)',
    tables: { os_version: [macOs('26.1 (a)')] },
    says: ['PASS'],
  },
  {
    when: 'a security response stands behind a version below the floor',
    source: 'osquery source: the supplemental version ends in (a)',
    tables: { os_version: [macOs('15.6.1 (a)')] },
    says: ['FAIL'],
  },
  {
    when: 'the release is older than every listed one',
    source: 'mondoo mql test data: a Mac with 12.6',
    tables: { os_version: [macOs('12.6')] },
    says: ['FAIL'],
  },
  {
    when: 'the release is not told',
    source: 'osquery source: empty where the version dictionary cannot be read',
    tables: { os_version: [{ platform: 'darwin' }] },
    says: ['UNKNOWN'],
  },
]

const sharing = { remote_login: '0', screen_sharing: '0', file_sharing: '0', remote_management: '0' }
const noSharing = { ...sharing, remote_apple_events: '0', internet_sharing: '0', bluetooth_sharing: '0' }
const allOff: FieldCase['says'] = Array.from({ length: 7 }, () => 'PASS')

const sharingServices: readonly Omit<FieldCase, 'slug'>[] = [
  {
    when: 'no service is on',
    source: 'osquery #4698: the row of a Mac that shares nothing',
    tables: { sharing_preferences: [noSharing] },
    says: allOff,
  },
  {
    when: 'remote management is on, which hides screen sharing',
    source: 'osquery #4698 and source: screen_sharing is 0 while the file of remote management is there',
    tables: { sharing_preferences: [{ ...noSharing, remote_management: '1' }] },
    says: allOff.with(3, 'FAIL'),
  },
]

const guestAccount: readonly Omit<FieldCase, 'slug'>[] = [
  {
    when: 'nobody ever turned it on',
    source: 'osquery source: a key that is not set has no row',
    tables: { plist: plist(loginFile, loginTrace) },
    says: ['PASS'],
  },
  {
    when: 'it was turned on and off again',
    source: 'osquery source: booleans of a property list are 1 and 0',
    tables: { plist: plist(loginFile, { ...loginTrace, GuestEnabled: '0' }) },
    says: ['PASS'],
  },
  {
    when: 'it is on',
    source: 'osquery source: booleans of a property list are 1 and 0',
    tables: { plist: plist(loginFile, { ...loginTrace, GuestEnabled: '1' }) },
    says: ['FAIL'],
  },
  {
    when: 'the value is a text that says neither on nor off',
    source: 'osquery source: texts of a property list are handed over as they are',
    tables: { plist: plist(loginFile, { GuestEnabled: 'YES' }) },
    says: ['UNKNOWN'],
  },
  {
    when: 'a profile disables it',
    source: 'Apple schema of the Accounts profile: DisableGuestAccount disables the account',
    tables: {
      plist: plist(loginFile, { GuestEnabled: '1' }),
      managed_policies: managed('com.apple.MCX', { DisableGuestAccount: '1', EnableGuestAccount: '0' }),
    },
    says: ['PASS'],
  },
  {
    when: 'a profile enables and disables it',
    source: 'Apple schema of the Accounts profile: DisableGuestAccount has no effect where EnableGuestAccount is true',
    tables: {
      plist: plist(loginFile, loginTrace),
      managed_policies: managed('com.apple.MCX', { DisableGuestAccount: '1', EnableGuestAccount: '1' }),
    },
    says: ['FAIL'],
  },
]

const apps = [
  app('com.apple.Safari', 'Safari', '26.3'),
  app('com.google.Chrome', 'Google Chrome', '141.0.7390.55'),
  app('org.mozilla.firefox', 'Firefox', '143.0.4'),
  app('com.bitwarden.desktop', 'Bitwarden', '2026.1.0'),
]
const [safari] = apps
const staleApps = 'osquery #8789: before 5.23.0 a root daemon misses apps whose registration is stale'

function appCases(slug: string, none: string, found: number): FieldCase[] {
  const others = apps.filter((_, at) => at !== found)
  const old = agentOn('26.3', '5.22.0')
  return [
    {
      slug,
      when: 'a current agent finds it',
      source: staleApps,
      tables: { ...agentOn('26.3', '5.23.0'), apps },
      says: ['PASS'],
    },
    { slug, when: 'an old agent finds it', source: staleApps, tables: { ...old, apps }, says: ['PASS'] },
    {
      slug,
      when: 'a current agent finds other apps only',
      source: staleApps,
      tables: { ...agentOn('26.3', '5.23.1'), apps: others },
      says: [none],
    },
    {
      slug,
      when: 'an old agent finds other apps only',
      source: staleApps,
      tables: { ...old, apps: others },
      says: ['UNKNOWN'],
      needs: '5.23.0',
    },
    {
      slug,
      when: 'an old agent finds no app at all',
      source: staleApps,
      tables: old,
      says: ['UNKNOWN'],
      needs: '5.23.0',
    },
    {
      slug,
      when: 'a current agent finds no app at all',
      source: staleApps,
      tables: agentOn('14.8', '5.23.1'),
      says: ['UNKNOWN'],
    },
  ]
}

const oldChrome: FieldCase = {
  slug: 'macos-chrome-up-to-date',
  when: 'an old agent finds an old copy',
  source: staleApps,
  tables: {
    ...agentOn('15.7.1', '5.22.0'),
    apps: safari ? [safari, app('com.google.Chrome', 'Google Chrome', '99.0.4844.84')] : [],
  },
  says: ['FAIL'],
}

const of = (slug: string, cases: readonly Omit<FieldCase, 'slug'>[]) => cases.map((one) => ({ slug, ...one }))

/** What real Macs answer. */
export const macosFieldRows: readonly FieldCase[] = [
  ...macosProtectionFieldRows,
  ...of('macos-automatic-updates', automaticUpdates),
  ...of('macos-os-up-to-date', osUpToDate),
  ...of('macos-sharing-services', sharingServices),
  ...of('macos-guest-account', guestAccount),
  ...appCases('macos-chrome-up-to-date', 'INAPPLICABLE', 1),
  oldChrome,
  ...appCases('macos-firefox-up-to-date', 'INAPPLICABLE', 2),
  ...appCases('macos-password-manager', 'FAIL', 3),
]
