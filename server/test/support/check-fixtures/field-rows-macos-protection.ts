import type { FieldCase } from './field-case.ts'
import { agentOn, managed, mount, volume } from './macos-rows.ts'

type Cases = readonly Omit<FieldCase, 'slug'>[]

const appleSilicon = [mount('/', 'disk3s1s1'), mount('/System/Volumes/Data', 'disk3s5')]
/** Whole disks, the boot volumes and EFI; a volume without a mount is one that osquery knows nothing of. */
const others = ['disk0', 'disk0s1', 'disk3', 'disk3s1', 'disk3s2'].map((name) => volume(name, '0', 'unknown'))
const rowsOfSilicon = 'osquery PR 6823 and #5223: rows of a Mac with Apple silicon'
const cryptexMounts = [mount('/System/Cryptexes/OS', 'disk2s1'), mount('/System/Cryptexes/App', 'disk4s1')]
const cryptexVolumes = [volume('disk2s1', '0', 'off'), volume('disk4s1', '0', 'off')]

const diskEncryption: Cases = [
  {
    when: 'FileVault is on and cryptexes of macOS have none',
    source: 'Fleet #52515: rows of macOS 15 and 26',
    tables: {
      mounts: [...appleSilicon, ...cryptexMounts],
      disk_encryption: [...others, ...cryptexVolumes, volume('disk3s1s1', '1', 'on'), volume('disk3s5', '1', 'on')],
    },
    says: ['PASS'],
  },
  {
    when: 'FileVault is off, which Apple silicon calls encrypted all the same',
    source: rowsOfSilicon,
    tables: {
      mounts: appleSilicon,
      disk_encryption: [...others, volume('disk3s1s1', '1', 'off'), volume('disk3s5', '1', 'off')],
    },
    says: ['FAIL'],
  },
  {
    when: 'FileVault is off on an Intel Mac',
    source: 'osquery #5223: encrypted 0, "not encrypted"',
    tables: {
      mounts: [mount('/', 'disk1s5s1'), mount('/System/Volumes/Data', 'disk1s1')],
      disk_encryption: [volume('disk1s5s1', '0', 'off'), volume('disk1s1', '0', 'off')],
    },
    says: ['FAIL'],
  },
  {
    when: 'only an external disk is encrypted',
    source: rowsOfSilicon,
    tables: {
      mounts: [...appleSilicon, mount('/Volumes/Backup', 'disk6s2')],
      disk_encryption: [
        ...others,
        volume('disk3s1s1', '1', 'off'),
        volume('disk3s5', '1', 'off'),
        volume('disk6s2', '1', 'on'),
      ],
    },
    says: ['FAIL'],
  },
  {
    when: 'only an external disk is encrypted and the system volume is not told',
    source: 'osquery source: an error of the private framework leaves "unknown"',
    tables: {
      mounts: [...appleSilicon, mount('/Volumes/Backup', 'disk6s2')],
      disk_encryption: [...others, volume('disk6s2', '1', 'on')],
    },
    says: ['UNKNOWN'],
  },
  {
    when: 'the private framework answers for no volume',
    source: 'osquery source: "unknown" for every volume, encrypted empty',
    tables: {
      mounts: appleSilicon,
      disk_encryption: [...others, volume('disk3s1s1', '', 'unknown'), volume('disk3s5', '', 'unknown')],
    },
    says: ['UNKNOWN'],
  },
  {
    when: 'the snapshot is not listed and only the data volume is told',
    source: rowsOfSilicon,
    tables: { mounts: appleSilicon, disk_encryption: [...others, volume('disk3s5', '1', 'on')] },
    says: ['PASS'],
  },
  {
    when: 'only the volume below the snapshot is listed',
    source: rowsOfSilicon,
    tables: { mounts: [mount('/', 'disk3s1s1')], disk_encryption: [volume('disk3s1', '1', 'on')] },
    says: ['PASS'],
  },
  {
    when: 'one volume holds system and data',
    source: 'osquery PR 6823: macOS before 10.15 has one volume',
    tables: {
      mounts: [mount('/', 'disk1s1')],
      disk_encryption: [volume('disk1', '0', 'unknown'), volume('disk1s1', '1', 'on')],
    },
    says: ['PASS'],
  },
  {
    when: 'no mount is told',
    source: 'osquery source: mounts is empty where its call fails',
    tables: { disk_encryption: [volume('disk3s5', '1', 'on')] },
    says: ['UNKNOWN'],
  },
]

const alf15 = 'osquery PR 8428: from macOS 15 on the table asks system_profiler, and before 5.14.0 has no row'
const alf = (globalState: string, stealth: string, version = '') => ({
  alf: [{ global_state: globalState, stealth_enabled: stealth, version }],
})

const firewall: Cases = [
  {
    when: 'it is on for some apps',
    source: alf15,
    tables: { ...agentOn('15.7.1', '5.14.0'), ...alf('1', '0', '1.6') },
    says: ['PASS'],
  },
  {
    when: 'it blocks all on a managed macOS 27',
    source: 'Fleet #53594: still readable on 26A428',
    tables: { ...agentOn('27.0', '5.23.1'), ...alf('2', '1') },
    says: ['PASS'],
  },
  { when: 'it is off', source: alf15, tables: { ...agentOn('26.1', '5.23.1'), ...alf('0', '0') }, says: ['FAIL'] },
  {
    when: 'the agent is too old for macOS 15',
    source: alf15,
    tables: agentOn('15.2', '5.13.1'),
    says: ['UNKNOWN'],
    needs: '5.14.0',
  },
  {
    when: 'an agent that is too old reads the file that macOS 15 left behind',
    source: alf15,
    tables: { ...agentOn('15.2', '5.13.1'), ...alf('1', '0', '1.6') },
    says: ['UNKNOWN'],
    needs: '5.14.0',
  },
  {
    when: 'an old agent reads the file of macOS 14',
    source: alf15,
    tables: { ...agentOn('14.8', '5.12.0'), ...alf('0', '0', '1.6') },
    says: ['FAIL'],
  },
  { when: 'a current agent gets no answer', source: alf15, tables: agentOn('26.1', '5.23.1'), says: ['UNKNOWN'] },
  {
    when: 'the word for the state is not known',
    source: 'osquery source: a word that is not known leaves the state empty',
    tables: { ...agentOn('26.1', '5.23.1'), ...alf('', '0') },
    says: ['UNKNOWN'],
  },
  {
    when: 'the file of macOS 14 does not name the state',
    source: 'osquery source: a key that is not there is -1',
    tables: { ...agentOn('14.8', '5.23.1'), ...alf('-1', '-1') },
    says: ['UNKNOWN'],
  },
]

const firewallStealth: Cases = [
  { when: 'it is on', source: alf15, tables: { ...agentOn('26.1', '5.23.1'), ...alf('1', '1') }, says: ['PASS'] },
  { when: 'it is off', source: alf15, tables: { ...agentOn('26.1', '5.23.1'), ...alf('1', '0') }, says: ['FAIL'] },
  {
    when: 'the Mac does not speak English',
    source: 'osquery source: from macOS 15 on the words Yes and No are compared',
    tables: { ...agentOn('26.3', '5.23.1'), ...alf('1', '') },
    says: ['UNKNOWN'],
    reason: /English/,
  },
  {
    when: 'the agent is too old for macOS 15',
    source: alf15,
    tables: agentOn('15.2', '5.13.1'),
    says: ['UNKNOWN'],
    needs: '5.14.0',
  },
  {
    when: 'the file of macOS 14 does not name it',
    source: 'osquery source: a key that is not there is -1',
    tables: { ...agentOn('14.8', '5.23.1'), ...alf('1', '-1') },
    says: ['UNKNOWN'],
  },
]

const fromProfile = 'Fleet #24252 and PR 44581: rows of a Mac whose profile sets the screen saver'
const lock = (values: Record<string, string>, username = '') => managed('com.apple.screensaver', values, username)

const screenLock: Cases = [
  {
    when: 'a profile asks for a password at once',
    source: fromProfile,
    tables: { managed_policies: lock({ askForPassword: '1', askForPasswordDelay: '0', idleTime: '900' }) },
    says: ['PASS'],
  },
  {
    when: 'a profile allows as long as the option',
    source: fromProfile,
    tables: { managed_policies: lock({ askForPassword: 'true', askForPasswordDelay: '60' }) },
    says: ['PASS'],
  },
  {
    when: 'a profile allows longer',
    source: fromProfile,
    tables: { managed_policies: lock({ askForPassword: '1', askForPasswordDelay: '300' }) },
    says: ['FAIL'],
  },
  {
    when: 'a profile asks for no password',
    source: 'Apple schema of the screen saver profile: false asks for none',
    tables: { managed_policies: lock({ askForPassword: '0', askForPasswordDelay: '0' }) },
    says: ['FAIL'],
  },
  {
    when: 'a profile disables the requirement by its delay',
    source: 'Apple schema of the screen saver profile: 2147483647 disables it',
    tables: { managed_policies: lock({ askForPassword: '1', askForPasswordDelay: '2147483647' }) },
    says: ['FAIL'],
  },
  {
    when: 'a profile asks for a password and sets no delay',
    source: 'Apple schema of the screen saver profile: the delay must be given and has no default',
    tables: { managed_policies: lock({ askForPassword: '1' }) },
    says: ['UNKNOWN'],
  },
  {
    when: 'a profile sets only when the screen saver begins',
    source: fromProfile,
    tables: { managed_policies: lock({ idleTime: '900' }) },
    says: ['UNKNOWN'],
  },
  {
    when: 'the profiles of two people disagree',
    source: 'osquery source: rows of the folders of people stand beside those of the Mac',
    tables: {
      managed_policies: [
        ...lock({ askForPassword: '1', askForPasswordDelay: '0' }),
        ...lock({ askForPassword: '1', askForPasswordDelay: '3600' }, 'ana'),
      ],
    },
    says: ['UNKNOWN'],
  },
  {
    when: 'no profile is there and the agent runs as root',
    source: 'Fleet #8875, #6282 and osquery #6451: screenlock has no row for a root daemon',
    tables: {},
    says: ['UNKNOWN'],
  },
  {
    when: 'the agent runs as the person and the lock is off',
    source: 'osquery source: enabled 0 has a grace period of -1',
    tables: { screenlock: [{ enabled: '0', grace_period: '-1' }] },
    says: ['FAIL'],
  },
]

const stale = 'osquery #8528 and PR 8831: always 1 on macOS 15 and later before 5.23.0, version empty'
const gate = (enabled: string, version: string) => ({
  gatekeeper: [{ assessments_enabled: enabled, dev_id_enabled: enabled, version }],
})

const gatekeeper: Cases = [
  {
    when: 'an old agent says on',
    source: stale,
    tables: { ...agentOn('15.2', '5.22.0'), ...gate('1', '') },
    says: ['UNKNOWN'],
    needs: '5.23.0',
  },
  {
    when: 'an old agent says off',
    source: stale,
    tables: { ...agentOn('15.2', '5.22.0'), ...gate('0', '') },
    says: ['FAIL'],
  },
  {
    when: 'a current agent says on',
    source: stale,
    tables: { ...agentOn('26.1', '5.23.0'), ...gate('1', '186') },
    says: ['PASS'],
  },
  {
    when: 'a current agent says off',
    source: stale,
    tables: { ...agentOn('26.1', '5.23.1'), ...gate('0', '186') },
    says: ['FAIL'],
  },
  {
    when: 'an old agent says on on macOS 14',
    source: stale,
    tables: { ...agentOn('14.8', '5.22.0'), ...gate('1', '181') },
    says: ['PASS'],
  },
  { when: 'an old agent says nothing', source: stale, tables: agentOn('15.2', '5.22.0'), says: ['UNKNOWN'] },
]

const sip: Cases = [
  {
    when: 'one exception is made',
    source: 'osquery #1797 and #1978: enabled is 0 with a single exception',
    tables: { sip_config: [{ config_flag: 'sip', enabled: '0', enabled_nvram: '0' }] },
    says: ['FAIL'],
  },
  {
    when: 'a flag is set that osquery does not know',
    source: 'osquery source: both columns are empty',
    tables: { sip_config: [{ config_flag: 'sip' }] },
    says: ['UNKNOWN'],
  },
]

const words = "the words that macOS itself ships for Apple silicon's security levels"
const boot = (description: string) => ({ secureboot: [{ description }] })

const secureBoot: Cases = [
  {
    when: 'the Mac speaks English',
    source: 'osquery #8804: secure_mode is empty on Apple silicon',
    tables: { secureboot: [{ description: 'Full Security', secure_boot: '1' }] },
    says: ['PASS'],
  },
  {
    when: 'the Mac speaks French',
    source: 'osquery #8804: rows of a French Mac with 26.3 and osquery 5.21',
    tables: boot('Sécurité maximale'),
    says: ['PASS'],
  },
  { when: 'the Mac speaks German', source: words, tables: boot('Volle Sicherheit'), says: ['PASS'] },
  { when: 'the Mac speaks Japanese', source: words, tables: boot('完全なセキュリティ'), says: ['PASS'] },
  { when: 'the Mac speaks Russian', source: words, tables: boot('Высший уровень безопасности'), says: ['PASS'] },
  {
    when: 'the level is reduced, which osquery calls secure all the same',
    source: 'osquery source: secure_boot is 1 for Reduced Security',
    tables: { secureboot: [{ description: 'Reduced Security', secure_boot: '1' }] },
    says: ['FAIL'],
  },
  {
    when: 'the level is permissive',
    source: 'osquery source: secure_boot is 0 for Permissive Security',
    tables: { secureboot: [{ description: 'Permissive Security', secure_boot: '0' }] },
    says: ['FAIL'],
  },
  {
    when: 'the word is of a language that is not known',
    source: 'osquery #8804: the word is that of the system language; this one is made up',
    tables: boot('Seguridad total'),
    says: ['UNKNOWN'],
  },
  {
    when: 'an Intel Mac with a T2 chip is at full security',
    source: 'osquery source: 1 is full, 2 medium and 0 none',
    tables: { secureboot: [{ secure_mode: '1', secure_boot: '1' }] },
    says: ['PASS'],
  },
  ...['2', '0'].map((mode) => ({
    when: `an Intel Mac with a T2 chip is at mode ${mode}`,
    source: 'osquery source: 1 is full, 2 medium and 0 none',
    tables: { secureboot: [{ secure_mode: mode, secure_boot: mode === '0' ? '0' : '1' }] },
    says: ['FAIL'],
  })),
  {
    when: 'an Intel Mac has no T2 chip',
    source: 'osquery source: one row, all of it empty',
    tables: { secureboot: [{}] },
    says: ['UNKNOWN'],
  },
]

const of = (slug: string, cases: Cases) => cases.map((one) => ({ slug, ...one }))

/** What real Macs answer about what protects them. */
export const macosProtectionFieldRows: readonly FieldCase[] = [
  ...of('macos-disk-encryption', diskEncryption),
  ...of('macos-firewall', firewall),
  ...of('macos-firewall-stealth', firewallStealth),
  ...of('macos-screen-lock', screenLock),
  ...of('macos-gatekeeper', gatekeeper),
  ...of('macos-sip', sip),
  ...of('macos-secure-boot', secureBoot),
]
