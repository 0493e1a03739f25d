import type { FieldCase } from './field-case.ts'
import { openDisk } from './field-rows-macos-hidden.ts'
import { macOs } from './macos-rows.ts'
import type { Tables } from './osquery-database.ts'

type Row = Tables[string][number]
type Cases = readonly Omit<FieldCase, 'slug'>[]

const denied = 'klbibkeccnjlkjkiokjodocebajanakg'
const ana = { uid: '501', username: 'ana', directory: '/Users/ana' }
const extension = (browser: string, state: string, more: Row = {}): Row => ({
  uid: '501',
  browser_type: browser,
  profile: 'Default',
  identifier: denied,
  name: 'The Great Suspender',
  version: '7.1.8',
  state,
  ...more,
})
const emptied = 'osquery #8610: rows of Chrome, Brave and Edge from 136 on with state empty, of Opera with 1'
const nameless = 'osquery #7257 and source: people of Entra whose name cannot be looked up have an empty username'
const chromium = 'osquery source: a folder that Preferences does not name has no state; Chromium: 0 is off'

const deniedExtensions: Cases = [
  ...['chrome', 'edge', 'brave'].map((browser) => ({
    when: `${browser} does not tell whether it is on`,
    source: emptied,
    tables: { users: [ana], chrome_extensions: [extension(browser, '')] },
    says: ['FAIL'],
  })),
  {
    when: 'opera tells that it is on',
    source: emptied,
    tables: { users: [ana], chrome_extensions: [extension('opera', '1')] },
    says: ['FAIL'],
  },
  {
    when: 'opera tells that it is off',
    source: chromium,
    tables: { users: [ana], chrome_extensions: [extension('opera', '0')] },
    says: ['PASS'],
  },
  {
    when: 'it is off and the folder of an older version is left',
    source: chromium,
    tables: {
      users: [ana],
      chrome_extensions: [extension('opera', '0'), extension('opera', '', { version: '7.1.6' })],
    },
    says: ['PASS'],
  },
  {
    when: 'the folder of an older version is left beside it',
    source: chromium,
    tables: {
      users: [ana],
      chrome_extensions: [extension('chrome', ''), extension('chrome', '', { version: '7.1.6' })],
    },
    says: ['FAIL'],
  },
  {
    when: 'chrome has other extensions only',
    source: emptied,
    tables: {
      users: [ana],
      chrome_extensions: [extension('chrome', '', { identifier: 'cjpalhdlnbpafiamejdnhcphjbkeiagm' })],
    },
    says: ['PASS'],
  },
  {
    when: 'two people have no name',
    source: nameless,
    tables: {
      users: [
        { uid: '1001', username: '', directory: 'C:\\Users\\ana' },
        { uid: '2417', username: '', directory: 'C:\\Users\\bo' },
      ],
      chrome_extensions: [extension('chrome', '1', { uid: '1001' }), extension('chrome', '1', { uid: '2417' })],
    },
    says: ['FAIL', 'FAIL'],
  },
]

const withMac = (...files: string[]): Tables => ({
  os_version: [macOs('26.3')],
  users: [{ uid: '0', username: 'root', directory: '/var/root' }, ana],
  file: files.map((path) => ({ path, mtime: '1759000000' })),
})
const withWindows = (...files: string[]): Tables => ({
  os_version: [{ platform: 'windows', build: '26100' }],
  users: [{ uid: '1001', username: 'ana', directory: 'C:\\Users\\ana' }],
  file: files.map((path) => ({ path, mtime: '1759000000' })),
})
const noAccess = 'Fleet PR 7938: without Full Disk Access a root daemon sees no row of Desktop, Documents and Downloads'
const redirected = "wootc #64: OneDrive's backup redirects Desktop and Documents"

const filesOfPeople = (name: string, otherName: string): Cases => [
  {
    when: 'macOS shows the agent none of the folders',
    source: noAccess,
    tables: withMac(),
    says: ['UNKNOWN'],
    reason: /Full Disk Access/,
  },
  {
    when: 'it lies in one of the folders of a Mac',
    source: noAccess,
    tables: withMac(openDisk.path, `/Users/ana/Documents/${name}`),
    says: ['FAIL'],
  },
  {
    when: 'the agent has Full Disk Access and the folders are empty',
    source: noAccess,
    tables: withMac(openDisk.path),
    says: ['PASS'],
  },
  {
    when: 'the agent has the right to one folder only, which is enough to be shown it',
    source: 'Apple: the right to files and folders is given for each of them',
    tables: withMac(`/Users/ana/Downloads/${name}`),
    says: ['FAIL'],
  },
  {
    when: 'the agent has the right to the folders and none to the disk',
    source: 'Apple: the right to files and folders is given for each of them',
    tables: withMac('/Users/ana/Downloads/notes.pdf'),
    says: ['PASS'],
  },
  {
    when: 'the agent sees what root has downloaded and nothing of people',
    source: 'Apple: macOS protects the folders of people, not those of root',
    tables: withMac('/var/root/Downloads/notes.pdf'),
    says: ['UNKNOWN'],
    reason: /Full Disk Access/,
  },
  {
    when: 'it lies in Documents that OneDrive keeps',
    source: redirected,
    tables: withWindows(`C:\\Users\\ana\\OneDrive\\Documents\\${name}`),
    says: ['FAIL'],
  },
  {
    when: 'it lies on the desktop that OneDrive of an organization keeps in German',
    source: redirected,
    tables: withWindows(`C:\\Users\\ana\\OneDrive - Contoso\\Schreibtisch\\${name}`),
    says: ['FAIL'],
  },
  {
    when: 'it lies in Downloads of a person of Windows',
    source: redirected,
    tables: withWindows(`C:\\Users\\ana\\Downloads\\${name}`),
    says: ['FAIL'],
  },
  {
    when: 'the folders of OneDrive hold other files',
    source: redirected,
    tables: withWindows(`C:\\Users\\ana\\OneDrive\\Documents\\${otherName}`),
    says: ['PASS'],
  },
  {
    when: 'Windows shows no file at all',
    source: 'osquery source: file has no row for a pattern without a match',
    tables: withWindows(),
    says: ['PASS'],
  },
  {
    when: 'Linux shows no file at all',
    source: 'osquery source: file has no row for a pattern without a match',
    tables: {
      os_version: [{ platform: 'ubuntu', major: '24' }],
      users: [{ uid: '1000', username: 'ana', directory: '/home/ana' }],
    },
    says: ['PASS'],
  },
]

const of = (slug: string, cases: Cases) => cases.map((one) => ({ slug, ...one }))

/** What computers of several systems answer. */
export const anyPlatformFieldRows: readonly FieldCase[] = [
  ...of('browser-extension-deny-list', deniedExtensions),
  ...of(
    'onepassword-emergency-kit',
    filesOfPeople('1Password Emergency Kit A3-XXXXXX-my.1password.com.pdf', '1Password.pdf'),
  ),
  ...of('recovery-codes-in-files', filesOfPeople('github-recovery-codes.txt', 'codes.txt')),
]
