import type { FieldCase } from './field-case.ts'
import { macOs } from './macos-rows.ts'
import type { Tables } from './osquery-database.ts'

type Cases = readonly Omit<FieldCase, 'slug'>[]

/** What only an agent with Full Disk Access sees. */
export const openDisk = { path: '/Library/Application Support/com.apple.TCC/TCC.db', type: 'regular' }

const backupFile = { path: '/Library/Preferences/com.apple.TimeMachine.plist', type: 'regular' }
const destination = (encryption: string): Tables => ({
  time_machine_destinations: [{ destination_id: '5F0C', alias: 'Backup', encryption }],
})
const noAccess = 'osquery PR 8325: the table needs Full Disk Access, and has no row and no error without it'
const values = 'CIS-CAT and Pareto Security: values of LastKnownEncryptionState'

const timeMachine: Cases = [
  {
    when: 'the agent may not read its settings',
    source: noAccess,
    tables: { file: [backupFile] },
    says: ['UNKNOWN'],
    reason: /Full Disk Access/,
  },
  {
    when: 'the agent reads its settings, which name no destination',
    source: 'osquery source: no row without Destinations in the file',
    tables: { file: [backupFile, openDisk] },
    says: ['INAPPLICABLE'],
  },
  {
    when: 'it was never set up and the agent has no Full Disk Access',
    source: 'osquery source: no row without the file',
    tables: { file: [] },
    says: ['INAPPLICABLE'],
  },
  {
    when: 'the destination is encrypted as FileVault',
    source: values,
    tables: { ...destination('FileVault'), file: [backupFile, openDisk] },
    says: ['PASS'],
  },
  {
    when: 'the destination is encrypted',
    source: values,
    tables: { ...destination('Encrypted'), file: [backupFile, openDisk] },
    says: ['PASS'],
  },
  {
    when: 'the destination is not encrypted',
    source: values,
    tables: { ...destination('NotEncrypted'), file: [backupFile, openDisk] },
    says: ['FAIL'],
  },
  {
    when: 'the destination was never seen since it was added',
    source: 'osquery source: empty where the file has no LastKnownEncryptionState',
    tables: { ...destination(''), file: [backupFile, openDisk] },
    says: ['UNKNOWN'],
  },
]

const variables = ['boot-args', 'SystemAudioVolume', 'prev-lang:kbd'].map((name) => ({ name, type: 'CFString' }))
const token = { name: 'fmm-mobileme-token-FMM', type: 'CFData', value: '%00' }
const silicon = { cpu_type: 'arm64e', cpu_brand: 'Apple M2' }
const intel = { cpu_type: 'x86_64h', cpu_brand: 'Intel(R) Core(TM) i5-8210Y CPU @ 1.60GHz' }
const withdrawn =
  "Apple's xnu, IONVRAM.cpp, and ipsw-diffs, kernel 11417.140: the token only for an entitlement of Apple's own"

function mac(version: string, processor: Record<string, string>, isShown = false): Tables {
  return {
    nvram: isShown ? [...variables, token] : variables,
    os_version: version === '' ? [] : [macOs(version)],
    system_info: [processor],
  }
}

const findMy: Cases = [
  ...['15.6', '15.7.1 (a)', '26.3', '27.0'].map((version) => ({
    when: `a Mac with Apple silicon and macOS ${version} shows no token`,
    source: withdrawn,
    tables: mac(version, silicon),
    says: ['UNKNOWN'],
    reason: /15\.6/,
  })),
  {
    when: 'only the name of the processor says that it is from Apple',
    source: 'osquery source: cpu_type is empty where its call fails',
    tables: mac('26.3', { cpu_type: '', cpu_brand: 'Apple M4 Pro' }),
    says: ['UNKNOWN'],
    reason: /15\.6/,
  },
  { when: 'a token is shown on macOS 26', source: withdrawn, tables: mac('26.3', silicon, true), says: ['PASS'] },
  { when: 'a token is shown on an Intel Mac', source: withdrawn, tables: mac('15.7', intel, true), says: ['PASS'] },
  { when: 'an Intel Mac shows no token', source: withdrawn, tables: mac('26.3', intel), says: ['FAIL'] },
  {
    when: 'a Mac with Apple silicon shows no token before macOS 15.6',
    source: withdrawn,
    tables: mac('15.5', silicon),
    says: ['FAIL'],
  },
  {
    when: 'macOS 14 shows no token and the processor is not told',
    source: 'osquery source: no row of system_info where its calls fail',
    tables: { ...mac('14.8', {}), system_info: [] },
    says: ['FAIL'],
  },
  {
    when: 'macOS 26 shows no token and the processor is not told',
    source: 'osquery source: cpu_type and cpu_brand are empty where their calls fail',
    tables: mac('26.3', { cpu_type: '', cpu_brand: '' }),
    says: ['UNKNOWN'],
    reason: /processor/,
  },
  {
    when: 'an Intel Mac shows no token and its version is not told',
    source: 'osquery source: os_version without a row',
    tables: mac('', intel),
    says: ['FAIL'],
  },
  {
    when: 'a Mac with Apple silicon shows no token and its version is not told',
    source: 'osquery source: os_version without a row',
    tables: mac('', silicon),
    says: ['UNKNOWN'],
    reason: /version/,
  },
  {
    when: 'no variable can be read',
    source: 'osquery source: no row without the options of the device tree',
    tables: { ...mac('14.8', silicon), nvram: [] },
    says: ['UNKNOWN'],
  },
]

const of = (slug: string, cases: Cases) => cases.map((one) => ({ slug, ...one }))

/** What macOS keeps from the agent that asks. */
export const macosHiddenFieldRows: readonly FieldCase[] = [
  ...of('macos-time-machine-encrypted', timeMachine),
  ...of('macos-find-my', findMy),
]
