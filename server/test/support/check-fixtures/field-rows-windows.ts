import type { FieldCase } from './field-case.ts'
import { cases, windowsProtectionRows } from './field-rows-windows-protection.ts'
import type { Tables } from './osquery-database.ts'

type Row = Tables[string][number]
type Value = [name: string, data: string]

const firewallPolicy =
  'HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\SharedAccess\\Parameters\\FirewallPolicy'
const groupPolicy = 'HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\Microsoft\\WindowsFirewall'
const systemKey = 'HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Policies\\System'
const terminalServer = 'HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\Terminal Server'
const terminalPolicy = 'HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\Microsoft\\Windows NT\\Terminal Services'
const desktop = 'Control Panel\\Desktop'
const desktopPolicy = 'Software\\Policies\\Microsoft\\Windows\\Control Panel\\Desktop'
const local = 'S-1-5-21-1004336348-1177238915-682003330-1001'
const entra = 'S-1-12-1-1778064242-1251273316-772277320-2482684374'

const values = (key: string, ...list: Value[]): Row[] =>
  list.map(([name, data]) => ({ key, path: `${key}\\${name}`, name, type: 'REG_DWORD', data }))
const profile = (store: string, name: string, data: string, value = 'EnableFirewall') =>
  values(`${store}\\${name}`, [value, data])
const profiles = ['DomainProfile', 'StandardProfile', 'PublicProfile']
const localFirewall = (...data: [string, string, string]) =>
  profiles.flatMap((name, index) => profile(firewallPolicy, name, data[index] ?? ''))
const hives = (...names: string[]): Row[] =>
  names.map((name) => ({ key: 'HKEY_USERS', path: `HKEY_USERS\\${name}`, name, type: 'subkey' }))
const person = (sid: string, key: string, ...list: Value[]) => values(`HKEY_USERS\\${sid}\\${key}`, ...list)
const saver = (seconds: string): Value[] => [
  ['ScreenSaveActive', '1'],
  ['ScreenSaverIsSecure', '1'],
  ['ScreenSaveTimeOut', seconds],
]
const machine = values(systemKey, ['EnableLUA', '1'])
const asDelivered: Value[] = [
  ['ScreenSaveActive', '1'],
  ['WallPaper', 'C:\\Windows\\web\\wallpaper\\Windows\\img0.jpg'],
]

const registry = (...rows: Row[][]): Tables => ({ registry: rows.flat() })

const firewall = cases(
  'windows-firewall',
  [
    'Windows 10 is as set up',
    "GLPI agent's test data: registry of a Windows 10",
    registry(localFirewall('1', '1', '1')),
    ...['PASS', 'PASS', 'PASS'],
  ],
  [
    'one profile was turned off by hand',
    "GLPI agent's test data, with one value changed",
    registry(localFirewall('1', '1', '0')),
    ...['PASS', 'PASS', 'FAIL'],
  ],
  [
    'no profile has the value and other values are there',
    'wazuh pull request 37430: measured on untouched computers',
    registry(profile(firewallPolicy, 'PublicProfile', '0', 'DisableNotifications')),
    ...['PASS', 'PASS', 'PASS'],
  ],
  [
    'only the key above the profiles can be read',
    'wazuh pull request 37430: values absent below the profiles',
    registry(values(firewallPolicy, ['PolicyVersion', '543'])),
    ...['PASS', 'PASS', 'PASS'],
  ],
  [
    'Intune turns on what the local setting turns off',
    'HardeningKitty #47 and AuditTAP #157',
    registry(
      localFirewall('0', '0', '0'),
      ...['DomainProfile', 'PrivateProfile', 'PublicProfile'].map((name) =>
        profile(`${firewallPolicy}\\Mdm`, name, '1'),
      ),
    ),
    ...['PASS', 'PASS', 'PASS'],
  ],
  [
    'Intune turns off the private profile by its older name',
    'HardeningKitty #47: the stores that Windows reads',
    registry(localFirewall('1', '1', '1'), profile(`${firewallPolicy}\\Mdm`, 'StandardProfile', '0')),
    ...['PASS', 'FAIL', 'PASS'],
  ],
  [
    'group policy turns off the private profile by its older name',
    'AuditTAP #157: names of the policy by release',
    registry(localFirewall('1', '1', '1'), profile(groupPolicy, 'StandardProfile', '0')),
    ...['PASS', 'FAIL', 'PASS'],
  ],
  [
    'a group policy in small letters turns a profile off',
    'osquery #9079 and Fleet #51169',
    registry(localFirewall('1', '1', '1'), profile(groupPolicy, 'PublicProfile', '0', 'enablefirewall')),
    ...['PASS', 'PASS', 'FAIL'],
  ],
  [
    'the local setting stands in small letters',
    'osquery #9079: names are compared with letter case',
    registry(...profiles.map((name) => profile(firewallPolicy, name, '1', 'enablefirewall'))),
    ...['PASS', 'PASS', 'PASS'],
  ],
  [
    'group policy and mobile device management contradict each other',
    'HardeningKitty #47 and AuditTAP #157: both stores',
    registry(
      localFirewall('1', '1', '1'),
      profile(groupPolicy, 'DomainProfile', '1'),
      profile(`${firewallPolicy}\\Mdm`, 'DomainProfile', '0'),
    ),
    ...['UNKNOWN', 'PASS', 'PASS'],
  ],
  [
    'a profile that only the local store may name stands there by another name',
    'AuditTAP #157: names of the policy by release',
    registry(localFirewall('1', '1', '1'), profile(firewallPolicy, 'PrivateProfile', '0')),
    ...['PASS', 'PASS', 'PASS'],
  ],
  [
    'the registry cannot be read',
    'osquery: no rows for keys that it cannot open',
    {},
    ...['UNKNOWN', 'UNKNOWN', 'UNKNOWN'],
  ],
)

const screenLock = cases(
  'windows-screen-lock',
  [
    'the limit for the computer is set',
    'Fleet pull request 6167',
    registry(machine, values(systemKey, ['InactivityTimeoutSecs', '900'])),
    'PASS',
  ],
  [
    'the limit stands in small letters',
    'osquery #9079 and Fleet #51169',
    registry(machine, values(systemKey, ['inactivitytimeoutsecs', '900'])),
    'PASS',
  ],
  [
    'the policy of the screen saver locks for the person signed in',
    'windows-itpro-docs #6341',
    registry(
      machine,
      hives('.DEFAULT', 'S-1-5-18', local, `${local}_Classes`),
      person(local, desktopPolicy, ...saver('600')),
    ),
    'PASS',
  ],
  [
    'the policy of the screen saver stands in small letters for a person of Entra',
    "GLPI agent's test data: hive of a person of Entra",
    registry(
      machine,
      hives('S-1-5-19', entra, `${entra}_Classes`),
      person(entra, desktopPolicy, ...saver('600').map(([name, data]): Value => [name.toLowerCase(), data])),
    ),
    'PASS',
  ],
  [
    'a person chose a screen saver that locks',
    'windows-itpro-docs #6341: the person’s own setting',
    registry(
      machine,
      hives(local),
      person(local, desktop, ...saver('300'), ['SCRNSAVE.EXE', 'C:\\Windows\\system32\\scrnsave.scr']),
    ),
    'PASS',
  ],
  [
    'a person has the three values and no screen saver',
    'windows-itpro-docs #6341: the person’s own setting',
    registry(machine, hives(local), person(local, desktop, ...saver('300'))),
    'FAIL',
  ],
  [
    'the policy allows longer than the person’s own setting',
    'windows-itpro-docs #6341: policy before own setting',
    registry(
      machine,
      hives(local),
      person(local, desktopPolicy, ...saver('7200')),
      person(local, desktop, ...saver('300'), ['SCRNSAVE.EXE', 'C:\\Windows\\system32\\scrnsave.scr']),
    ),
    'FAIL',
  ],
  [
    'only one of two people signed in has a lock',
    'Fleet pull request 6167: loaded hives',
    registry(
      machine,
      hives(local, entra),
      person(local, desktopPolicy, ...saver('600')),
      person(entra, desktop, ...asDelivered),
    ),
    'FAIL',
  ],
  [
    'the computer and the person are as delivered',
    'windows-itpro-docs #6341: values absent as delivered',
    registry(machine, hives(local, `${local}_Classes`), person(local, desktop, ...asDelivered)),
    'FAIL',
  ],
  [
    'the limit is 0 and the person’s screen saver does not ask for a password',
    'Fleet pull request 6167',
    registry(
      machine,
      values(systemKey, ['InactivityTimeoutSecs', '0']),
      hives(local),
      person(
        local,
        desktopPolicy,
        ['ScreenSaveActive', '1'],
        ['ScreenSaverIsSecure', '0'],
        ['ScreenSaveTimeOut', '600'],
      ),
    ),
    'FAIL',
  ],
  [
    'nobody is signed in and no limit is set',
    'Fleet pull request 6167: only loaded hives can be read',
    registry(machine, hives('.DEFAULT', 'S-1-5-18', 'S-1-5-19', 'S-1-5-20')),
    'UNKNOWN',
  ],
  ['the registry cannot be read', 'osquery: no rows for keys that it cannot open', {}, 'UNKNOWN'],
)

const remoteDesktop = cases(
  'windows-remote-desktop',
  [
    'it is off as delivered',
    "GLPI agent's test data: registry of a Windows 10",
    registry(values(terminalServer, ['fDenyTSConnections', '1'])),
    'PASS',
  ],
  [
    'the name of the local setting stands in small letters',
    'osquery #9079',
    registry(values(terminalServer, ['fdenytsconnections', '1'])),
    'PASS',
  ],
  [
    'a group policy in small letters turns it on',
    'osquery #9079 and Fleet #51169',
    registry(values(terminalServer, ['fDenyTSConnections', '1']), values(terminalPolicy, ['fdenytsconnections', '0'])),
    'FAIL',
  ],
  [
    'a group policy in capital letters turns it off',
    'osquery #9079 and Fleet #51169',
    registry(values(terminalServer, ['fDenyTSConnections', '0']), values(terminalPolicy, ['FDENYTSCONNECTIONS', '1'])),
    'PASS',
  ],
  ['the registry cannot be read', 'osquery: no rows for keys that it cannot open', {}, 'UNKNOWN'],
)

const states: readonly [state: string, statename: string, says: string][] = [
  ['1', 'Enabled', 'FAIL'],
  ['2', 'Disabled', 'PASS'],
  ['3', 'Absent', 'PASS'],
  ['4', 'Unknown', 'UNKNOWN'],
]
const smb1 = states.map(([state, statename, says]) => ({
  slug: 'windows-smb1',
  when: `Windows calls the feature ${statename}`,
  source: 'osquery source and mondoo mql PR 10390: 1 Enabled, 2 Disabled, 3 Absent, everything else Unknown',
  tables: {
    windows_optional_features: [
      { name: 'TelnetClient', state: '2', statename: 'Disabled' },
      { name: 'SMB1Protocol', state, statename },
    ],
  },
  says: [says],
}))

/** What real Windows computers answer. */
export const windowsFieldRows: readonly FieldCase[] = [
  ...windowsProtectionRows,
  ...firewall,
  ...screenLock,
  ...remoteDesktop,
  ...smb1,
]
