import type { InventoryCase } from './inventory-case.ts'
import type { Tables } from './osquery-database.ts'

type Row = Tables[string][number]

const platform = 'darwin'
const ana = {
  uid: 501,
  gid: 20,
  username: 'ana',
  directory: '/Users/ana',
  uuid: '1B1C7A6B-0000-4000-8000-000000000501',
}

const secureBoot = (of: string, source: string, row: Row, says: Record<string, string>): InventoryCase => {
  return { platform, table: 'device_secure_boot', of, source, tables: { secureboot: [row] }, says: [says] }
}

const macVolume = (row: Row): Tables => ({
  disk_encryption: [{ name: '/dev/disk3s5', ...row }],
  mounts: [{ device: '/dev/disk3s5', path: '/System/Volumes/Data', type: 'apfs' }],
})

const volume = (of: string, source: string, row: Row, says: Record<string, string>): InventoryCase => {
  const path = '/System/Volumes/Data'
  return { platform, table: 'device_disk_encryption', of, source, tables: macVolume(row), says: [{ path, ...says }] }
}

const otherWords = ['Sécurité maximale', 'Volle Sicherheit', '完全なセキュリティ', 'Высший уровень безопасности']

const appleWords = "osquery #8804 and the table of words that macOS ships; Wellkept's tests of them"

export const macosInventoryRows: InventoryCase[] = [
  ...otherWords.map((description) =>
    secureBoot(
      `an Apple silicon Mac that says ${description}`,
      appleWords,
      { description },
      {
        ...{ secure_boot: '', secure_mode: '', setup_mode: '', description },
      },
    ),
  ),
  secureBoot(
    'an Apple silicon Mac with reduced security',
    "osquery's source",
    { secure_boot: 1, description: 'Reduced Security', kernel_extensions: 1 },
    { secure_boot: '1', secure_mode: '', description: 'Reduced Security' },
  ),
  secureBoot(
    'an Intel Mac with a T2 chip and no security',
    "osquery's source and specification",
    { secure_boot: 0, secure_mode: 0 },
    { secure_boot: '0', secure_mode: '0', description: '' },
  ),
  volume(
    'an Apple silicon Mac without FileVault',
    'osquery pull request 6823',
    { encrypted: 1, type: 'APFS Encryption', encryption_status: 'encrypted', filevault_status: 'off' },
    { encrypted: '1', status: 'off' },
  ),
  volume(
    'a Mac whose private framework does not answer',
    "osquery's source",
    { encryption_status: 'undefined', filevault_status: 'unknown' },
    { encrypted: '', status: 'unknown' },
  ),
  {
    ...{ platform, table: 'device_safari_extensions' },
    of: 'a Mac with an extension of an app',
    source: "osquery pull request 8427; the path as osquery's source builds it",
    tables: {
      users: [ana],
      safari_extensions: [
        {
          ...{
            uid: 501,
            name: '1Password for Safari',
            identifier: 'com.1password.safari.extension',
            version: '8.10.46',
          },
          path: '/Applications/1Password for Safari.app//Contents/PlugIns/%.appex/Contents/Info.plist',
          bundle_version: '81046034',
        },
        { uid: 501, name: 'Bare', identifier: 'example.bare', version: '1', path: '/Applications/Bare.app/' },
        { uid: 501, name: 'Plain', identifier: 'example.plain', version: '1', path: '/Applications/Plain.app' },
      ],
    },
    says: [
      {
        ...{ username: 'ana', name: '1Password for Safari', identifier: 'com.1password.safari.extension' },
        ...{ version: '8.10.46', path: '/Applications/1Password for Safari.app' },
      },
      { name: 'Bare', path: '/Applications/Bare.app' },
      { name: 'Plain', path: '/Applications/Plain.app' },
    ],
  },
  {
    ...{ platform, table: 'device_safari_extensions' },
    of: 'a Mac without Full Disk Access',
    source: 'Fleet pull request 50382',
    tables: { users: [ana] },
    says: [],
  },
  {
    ...{ platform, table: 'device_chrome_extensions' },
    of: 'a Mac with Chrome 136 and Opera',
    source: 'osquery #8610',
    tables: {
      users: [ana],
      chrome_extensions: [
        { uid: 501, browser_type: 'chrome', identifier: 'aeblfdkhhhdcdjpifhhbdiojplfjncoa', state: '' },
        { uid: 501, browser_type: 'opera', identifier: 'aeblfdkhhhdcdjpifhhbdiojplfjncoa', state: '1' },
      ],
    },
    says: [
      { username: 'ana', browser_type: 'chrome', state: '' },
      { username: 'ana', browser_type: 'opera', state: '1' },
    ],
  },
  {
    ...{ platform, table: 'device_os_version' },
    of: 'macOS 26.3, whose version has two numbers',
    source: 'osquery #8804',
    tables: {
      os_version: [{ name: 'macOS', version: '26.3', major: 26, minor: 3, build: '25D125', platform: 'darwin' }],
      kernel_info: [{ version: '25.3.0' }],
    },
    says: [{ name: 'macOS', version: '26.3', major: '26', minor: '3', patch: '', build: '25D125' }],
  },
]
