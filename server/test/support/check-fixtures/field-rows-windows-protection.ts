import type { FieldCase } from './field-case.ts'
import type { Tables } from './osquery-database.ts'

type Row = Tables[string][number]

/** Cases of one check. */
export function cases(
  slug: string,
  ...list: [when: string, source: string, tables: Tables, ...says: string[]][]
): FieldCase[] {
  return list.map(([when, source, tables, ...says]) => ({ slug, when, source, tables, says }))
}

const now = 1_780_000_000
const day = 86_400

/** Protection and conversion, then the method. */
function volume(letter: string, protection: string, conversion: string, method: string): Row {
  return {
    drive_letter: letter,
    protection_status: protection,
    conversion_status: conversion,
    encryption_method: method,
    percentage_encrypted: conversion === '1' ? '100' : '0',
  }
}
const drive = (letter: string, description: string): Row => ({
  device_id: letter,
  type: 'Unknown',
  description,
  boot_partition: letter === 'C:' ? '1' : '0',
})
const on = (letter: string) => volume(letter, '1', '1', 'XTS_AES_128')
const off = (letter: string) => volume(letter, '0', '0', 'None')
const drives = (word: string, ...volumes: Row[]): Tables => ({
  bitlocker_info: volumes,
  logical_drives: volumes.map((one) => drive(String(one['drive_letter']), word)),
})
const stick = (word: string): Tables => ({
  bitlocker_info: [on('C:'), off('E:')],
  logical_drives: [drive('C:', 'Local Fixed Disk'), drive('E:', word)],
})

const bitlocker = cases(
  'windows-bitlocker',
  ['the system drive is protected', 'mondoo mql test data', drives('Local Fixed Disk', on('C:')), 'PASS'],
  [
    'a stick that was never initialized is plugged in',
    'Fleet #7252 and #49818, with the row of mondoo mql test data',
    stick('Removable Disk'),
    ...['PASS', 'INAPPLICABLE'],
  ],
  ['a stick is plugged in to a Russian Windows', 'Fleet #7252', stick('Съемный диск'), 'PASS', 'INAPPLICABLE'],
  [
    'the word for an unprotected second drive is not known',
    'osquery: type is always Unknown, and the word differs by language and release',
    stick('Місцевий жорсткий диск'),
    ...['PASS', 'UNKNOWN'],
  ],
  [
    'an unprotected drive is not listed among the logical drives',
    'osquery: a drive that WMI lists in one place alone',
    { bitlocker_info: [on('C:'), off('E:')], logical_drives: [drive('C:', 'Local Fixed Disk')] },
    ...['PASS', 'UNKNOWN'],
  ],
  [
    'the second drive of a Russian Windows is not protected',
    "GLPI agent's test data: drives of a Russian Windows",
    drives('Локальный несъемный диск', on('C:'), off('D:')),
    ...['PASS', 'FAIL'],
  ],
  [
    'the second drive of a French server is not protected',
    "GLPI agent's test data: drives of a French Windows Server 2008",
    drives('Disque fixe local', on('C:'), off('D:')),
    ...['PASS', 'FAIL'],
  ],
  [
    'the second drive of a French Windows 10 is not protected',
    "GLPI agent's test data: drives of a French Windows 10",
    drives('Disque monté local', on('C:'), off('D:')),
    ...['PASS', 'FAIL'],
  ],
  [
    'the system drive has a word that is not known',
    'osquery: boot_partition tells the system drive in every language',
    drives('Місцевий жорсткий диск', off('C:')),
    'FAIL',
  ],
  [
    'protection is suspended or waits for its activation',
    "Microsoft's GetProtectionStatus; MSEndpointMgr Intune #77",
    drives('Local Fixed Disk', volume('C:', '0', '1', 'XTS_AES_128')),
    'FAIL',
  ],
  [
    'the system drive was decrypted and the old status stayed',
    'osquery pull request 8931: rows of a fleet on build 26100',
    drives('Local Fixed Disk', volume('C:', '1', '0', 'None')),
    'FAIL',
  ],
  [
    'the method alone says that the drive is not encrypted',
    'osquery pull request 8931',
    drives('Local Fixed Disk', volume('C:', '1', '1', 'None')),
    'FAIL',
  ],
  [
    'the drive is being encrypted with protection on',
    "Microsoft's GetConversionStatus",
    drives('Local Fixed Disk', volume('C:', '1', '2', 'AES_256')),
    'PASS',
  ],
  [
    'the drive is being decrypted',
    "Microsoft's GetConversionStatus",
    drives('Local Fixed Disk', volume('C:', '1', '3', 'AES_256')),
    'FAIL',
  ],
  [
    'the second drive is locked',
    "mondoo mql test data; Microsoft's GetProtectionStatus",
    drives('Local Fixed Disk', on('C:'), volume('D:', '2', '-1', 'UNKNOWN')),
    ...['PASS', 'UNKNOWN'],
  ],
  [
    'Windows does not tell how far the drive is encrypted',
    'osquery: a number below 0 is no answer',
    drives('Local Fixed Disk', volume('C:', '1', '-1', 'XTS_AES_128')),
    'UNKNOWN',
  ],
)

const product = (name: string, state: string, current: string): Row => ({
  type: 'Antivirus',
  name,
  state,
  signatures_up_to_date: current,
})
const protection = (center: string, ...products: Row[]): Tables => ({
  windows_security_center: center === '' ? [] : [{ antivirus: center }],
  windows_security_products: products,
})
const twice = [product('Vendor AV', 'On', '0'), product('Vendor AV', 'Off', '1')]

const antivirus = cases(
  'windows-antivirus',
  [
    'another product stands in for Defender',
    'mondoo mql test data',
    protection('Good', product('Windows Defender', 'Off', '1'), product('Vendor AV', 'On', '1')),
    'PASS',
  ],
  [
    'a product that updated itself is listed twice and Windows is content',
    'amidaware community-scripts #268',
    protection('Good', ...twice),
    'PASS',
  ],
  [
    'a product is listed twice and Security Center does not answer',
    'amidaware community-scripts #268; osquery #8042',
    protection('Error', ...twice),
    'UNKNOWN',
  ],
  ['a product is listed twice and Windows is not content', 'osquery #8042', protection('Poor', ...twice), 'FAIL'],
  [
    'Defender is on and current beside a center that is snoozed',
    "Microsoft's wscapi",
    protection('Snoozed', product('Microsoft Defender Antivirus', 'On', '1')),
    'PASS',
  ],
  ['the license has ended', "Microsoft's wscapi", protection('Snoozed', product('Vendor AV', 'Expired', '0')), 'FAIL'],
  ['Windows is not content and names no product', "Microsoft's wscapi", protection('Poor'), 'FAIL'],
  [
    'the only product is outdated and the center has no row',
    'mondoo mql test data',
    protection('', product('Microsoft Defender Antivirus', 'On', '0')),
    'FAIL',
  ],
  ['it is a Windows Server', 'osquery #8042 and #6389', protection('Error'), 'UNKNOWN'],
)

const ubr = (build: string, revision: string, name = 'UBR'): Tables => {
  const key = 'HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion'
  return {
    os_version: [{ name: 'Майкрософт Windows 11 Pro', build, revision, platform: 'windows' }],
    registry: [{ key, path: `${key}\\${name}`, name, type: 'REG_DWORD', data: revision }],
  }
}

const osUpToDate = cases(
  'windows-os-up-to-date',
  ['25H2 is current', 'WindowsOSBuild #61 and #65', ubr('26200', '8457'), 'PASS'],
  ['25H2 is current by hotpatches', 'WindowsOSBuild #49 and #65', ubr('26200', '8390'), 'PASS'],
  ['24H2 has the hotpatch of the month of the floor', 'WindowsOSBuild #49', ubr('26100', '3981'), 'PASS'],
  ['24H2 is one update below the floor', 'WindowsOSBuild #49', ubr('26100', '3775'), 'FAIL'],
  ['25H2 is at no patch level', 'winbindex #191 and systeminformer pull request 2616', ubr('26200', '1'), 'FAIL'],
  ['26H2 is not listed', 'systeminformer pull request 2616', ubr('26300', '8457'), 'UNKNOWN'],
  ['the build gets no more updates', 'WindowsOSBuild #61', ubr('22000', '3260'), 'FAIL'],
  ['the revision stands in small letters', 'osquery #9079', ubr('26100', '8457', 'ubr'), 'PASS'],
  [
    'osquery is older than 5.12, whose column revision it lacks',
    'osquery: os_version.revision is there from 5.12.0',
    { ...ubr('26100', '8457'), os_version: [{ build: '26100' }] },
    'PASS',
  ],
  [
    'the registry cannot be read',
    'osquery: no rows for keys that it cannot open',
    { os_version: [{ build: '26100', revision: '8457' }] },
    'UNKNOWN',
  ],
)

const entry = (title: string, daysAgo: number, result = 'Succeeded', client = 'MoUpdateOrchestrator'): Row => ({
  title,
  date: String(now - daysAgo * day),
  result_code: result,
  operation: 'Installation',
  client_app_id: client,
})
const definitions = 'Security Intelligence Update for Microsoft Defender Antivirus - KB2267602 (Version 1.371.442.0)'
const history = (...entries: Row[]): Tables => ({ time: [{ unix_time: now }], windows_update_history: entries })
const cumulative = '2022-07 Cumulative Update for Windows 10 Version 21H2 for x64-based Systems (KB5015807)'
const fleetRows = "Fleet's proposal on vulnerabilities of Windows"

const recentUpdate = cases(
  'windows-recent-update',
  ['the update of the month is there', fleetRows, history(entry(definitions, 0), entry(cumulative, 20)), 'PASS'],
  [
    'definitions came today and the last update of Windows 200 days ago',
    fleetRows,
    history(
      entry(definitions, 0),
      entry(cumulative, 1, 'Failed'),
      entry(cumulative, 2, 'InProgress'),
      entry(cumulative, 200),
    ),
    'FAIL',
  ],
  [
    'the monthly removal tool came, and the updates of Windows stopped',
    'ConfigMgrClientHealth pull request 54',
    history(entry('Windows Malicious Software Removal Tool x64 - v5.103 (KB890830)', 3), entry(cumulative, 120)),
    'FAIL',
  ],
  [
    'Defender updated its platform in German, and the updates of Windows stopped',
    fleetRows,
    history(
      entry('Update für Microsoft Defender Antivirus-Antischadsoftwareplattform – KB4052623', 2),
      entry('Update für die Windows-Sicherheitsplattform – KB5007651', 4),
      entry(cumulative, 100),
    ),
    'FAIL',
  ],
  [
    'definitions without a number came by Defender itself',
    fleetRows,
    history(entry('Windows 11 Security Intelligence', 0, 'Succeeded', 'Windows Defender'), entry(cumulative, 100)),
    'FAIL',
  ],
  [
    'a driver came, and the updates of Windows stopped',
    fleetRows,
    history(entry('Intel Corporation - System - 2406.5.5.0', 5), entry(cumulative, 100)),
    'FAIL',
  ],
  [
    'the update of the month has a Russian title',
    fleetRows,
    history(entry('Накопительное обновление для Windows 11 Version 24H2 (KB5058411)', 12), entry(definitions, 0)),
    'PASS',
  ],
  ['a new release was installed', fleetRows, history(entry('Windows 11, version 25H2', 10)), 'PASS'],
  ['the history was emptied', 'osquery #7805', history(), 'UNKNOWN'],
  ['the history was emptied and definitions came since', 'osquery #7805', history(entry(definitions, 0)), 'UNKNOWN'],
  [
    'updates of a new computer failed so far',
    'osquery #7805',
    history(entry(cumulative, 3, 'Failed'), entry(definitions, 3)),
    'UNKNOWN',
  ],
)

const secureBoot = (value: string, setup: string): Tables => ({
  secureboot: [{ secure_boot: value, setup_mode: setup }],
})
const firmware = [
  ...cases(
    'windows-secure-boot',
    ['it is on', 'osquery pull request 7743', secureBoot('1', '0'), 'PASS'],
    ['it is off', 'osquery pull request 7743', secureBoot('0', '0'), 'FAIL'],
    ['the firmware could not be read', 'osquery pull request 7743', secureBoot('-1', '-1'), 'UNKNOWN'],
  ),
  ...cases(
    'windows-guest-account',
    ['it is off', 'mondoo mql test data', { security_profile_info: [{ enable_guest_account: '0' }] }, 'PASS'],
    ['it is on', 'mondoo mql test data', { security_profile_info: [{ enable_guest_account: '1' }] }, 'FAIL'],
    [
      'the policy does not tell',
      'osquery: a number below 0 is no answer',
      { security_profile_info: [{ enable_guest_account: '-1' }] },
      'UNKNOWN',
    ],
  ),
  ...cases(
    'windows-tpm',
    [
      'it is ready',
      'osquery #7795',
      { tpm_info: [{ activated: '1', enabled: '1', owned: '1', spec_version: '2.0, 0, 1.59' }] },
      'PASS',
    ],
    ['it is not owned', 'osquery #7795', { tpm_info: [{ activated: '1', enabled: '1', owned: '0' }] }, 'FAIL'],
    ['Windows tells of none', 'osquery #7795: no rows also where WMI does not answer', {}, 'UNKNOWN'],
  ),
]

const chrome = (...versions: [string, string][]): Tables => ({
  programs: versions.map(([version, place]) => ({ name: 'Google Chrome', version, install_location: place })),
})
const folder = 'C:\\Program Files\\Google\\Chrome\\Application'

const browser = cases(
  'windows-chrome-up-to-date',
  [
    'an installer left an entry that never changes',
    'mondoo mql #10730',
    chrome(['152.0.7977.76', folder], ['69.218.16502', '']),
    'PASS',
  ],
  ['both entries are old', 'mondoo mql #10730', chrome(['69.218.16502', ''], ['101.0.4951.67', folder]), 'FAIL'],
  ['only the entry of the installer is there', 'mondoo mql #10730', chrome(['69.218.16502', '']), 'UNKNOWN'],
  [
    'the newest of two has more digits',
    'mondoo mql #10730',
    chrome(['99.0.4844.51', ''], ['152.0.7977.76', folder]),
    'PASS',
  ],
  [
    'it is not installed',
    'mondoo mql test data',
    { programs: [{ name: 'Mozilla Firefox', version: '152.0' }] },
    'INAPPLICABLE',
  ],
  ['the list of programs is empty', 'osquery: no rows for keys that it cannot open', {}, 'UNKNOWN'],
)

/** What Windows computers answer of their protection and their updates. */
export const windowsProtectionRows: readonly FieldCase[] = [
  ...bitlocker,
  ...antivirus,
  ...osUpToDate,
  ...recentUpdate,
  ...firmware,
  ...browser,
]
