import { createHash } from 'node:crypto'
import { NotCollected } from '../tables/not-collected.ts'
import { columns, type Query, type Row, type Table } from '../tables/table.ts'
import { wantedAccounts } from './accounts.ts'
import { listDirectory, readText, statOf } from './read-files.ts'

/** Where browsers of the Chromium family keep their profiles, below the home directory. */
const browsers: [type: string, folder: string][] = [
  ['chrome', '.config/google-chrome'],
  ['chrome_beta', '.config/google-chrome-beta'],
  ['chrome_dev', '.config/google-chrome-unstable'],
  ['chrome', '.var/app/com.google.Chrome/config/google-chrome'],
  ['chromium', '.config/chromium'],
  ['chromium', 'snap/chromium/common/chromium'],
  ['chromium', '.var/app/org.chromium.Chromium/config/chromium'],
  ['brave', '.config/BraveSoftware/Brave-Browser'],
  ['brave', 'snap/brave/current/.config/BraveSoftware/Brave-Browser'],
  ['edge', '.config/microsoft-edge'],
  ['opera', '.config/opera'],
  ['vivaldi', '.config/vivaldi'],
  ['yandex', '.config/yandex-browser'],
]

type Json = Record<string, unknown>

const asObject = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}

function readJson(path: string): Json {
  const json = readText(path) ?? '{}'
  try {
    return asObject(JSON.parse(json))
  } catch {
    // An empty answer would read as "no extensions".
    throw new NotCollected(`${path} is not JSON`)
  }
}

/** Settings of the extensions of a profile, by id; both files may hold some. */
function extensionSettings(profile: string): Map<string, Json> {
  const found = new Map<string, Json>()
  for (const file of ['Preferences', 'Secure Preferences']) {
    const settings = asObject(asObject(readJson(`${profile}/${file}`)['extensions'])['settings'])
    for (const [id, entry] of Object.entries(settings)) found.set(id, { ...found.get(id), ...asObject(entry) })
  }
  return found
}

/** '1' when the extension runs. Newer browsers dropped `state` and list reasons to be disabled instead. */
export function extensionState(settings: Json): string {
  if (typeof settings['state'] === 'number') return String(settings['state'])
  const reasons = settings['disable_reasons']
  const disabled = Array.isArray(reasons) ? reasons.length > 0 : Number(reasons ?? 0) !== 0
  return disabled ? '0' : '1'
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const list = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

/** Messages of the form `__MSG_name__` stand in the locale's file; the raw text is better than nothing. */
function translated(value: string, folder: string, locale: string): string {
  const key = /^__MSG_(\w+)__$/.exec(value)?.[1]
  if (!key || locale === '' || locale.includes('/')) return value
  const messages = readJson(`${folder}/_locales/${locale}/messages.json`)
  const match = Object.entries(messages).find(([name]) => name.toLowerCase() === key.toLowerCase())
  return text(asObject(match?.[1])['message']) || value
}

export const chromeExtensions: Table = {
  name: 'chrome_extensions',
  columns:
    columns(`browser_type uid:bigint name profile profile_path referenced_identifier identifier version description
    default_locale current_locale update_url author persistent:integer path permissions permissions_json
    optional_permissions optional_permissions_json manifest_hash referenced:bigint from_webstore state install_time
    install_timestamp:bigint manifest_json key`),
  pushed: { uid: 'equal' },
  *collect(constraints, query) {
    for (const account of wantedAccounts(constraints)) {
      for (const row of extensionsOfHome(account.directory, query)) yield { ...row, uid: account.uid }
    }
  },
}

/** The extensions in every profile of every known browser below a home directory. */
export function* extensionsOfHome(home: string, query: Pick<Query, 'remainingMs'>): Iterable<Row> {
  for (const [browserType, folder] of browsers) {
    for (const profile of profilesIn(`${home}/${folder}`)) {
      query.remainingMs()
      for (const row of extensionsOf(profile)) yield { ...row, browser_type: browserType }
    }
  }
}

function profilesIn(root: string): string[] {
  const inside = listDirectory(root).map((name) => `${root}/${name}`)
  return [root, ...inside].filter((path) => statOf(`${path}/Preferences`)?.isFile())
}

function* extensionsOf(profile: string): Iterable<Row> {
  const profileName = text(asObject(readJson(`${profile}/Preferences`)['profile'])['name'])
  const settings = extensionSettings(profile)
  const seen = new Set<string>()
  for (const [id, entry] of settings) {
    const path = text(entry['path'])
    const folder = path === '' || path.startsWith('/') ? path : `${profile}/Extensions/${path}`
    const row = extensionRow(id, entry, folder)
    if (!row) continue
    seen.add(folder)
    yield { ...row, profile: profileName, profile_path: profile, referenced: 1 }
  }
  for (const folder of installedFolders(profile)) {
    const id = folder.split('/').at(-2) ?? ''
    const row = seen.has(folder) ? undefined : extensionRow(id, {}, folder)
    if (row) yield { ...row, state: '', profile: profileName, profile_path: profile, referenced: 0 }
  }
}

function installedFolders(profile: string): string[] {
  const root = `${profile}/Extensions`
  return listDirectory(root).flatMap((id) =>
    listDirectory(`${root}/${id}`).map((version) => `${root}/${id}/${version}`),
  )
}

/** Seconds between 1601-01-01, where Chromium counts microseconds from, and 1970-01-01. */
const chromeEpochSeconds = 11_644_473_600

function extensionRow(id: string, settings: Json, folder: string): Row | undefined {
  const manifestText = folder === '' ? undefined : readText(`${folder}/manifest.json`)
  const manifest = { ...asObject(settings['manifest']), ...parseManifest(manifestText) }
  if (Object.keys(manifest).length === 0) return undefined
  const locale = text(manifest['default_locale'])
  const installed = text(settings['install_time']) || text(settings['first_install_time'])
  return {
    name: translated(text(manifest['name']), folder, locale),
    identifier: id,
    referenced_identifier: Object.keys(settings).length > 0 ? id : '',
    version: text(manifest['version']),
    description: translated(text(manifest['description']), folder, locale),
    default_locale: locale,
    update_url: text(manifest['update_url']),
    author: text(manifest['author']) || text(asObject(manifest['author'])['email']),
    persistent: asObject(manifest['background'])['persistent'] === true ? 1 : 0,
    path: folder,
    permissions: list(manifest['permissions']).join(', '),
    permissions_json: JSON.stringify(list(manifest['permissions'])),
    optional_permissions: list(manifest['optional_permissions']).join(', '),
    optional_permissions_json: JSON.stringify(list(manifest['optional_permissions'])),
    manifest_hash: manifestText === undefined ? '' : createHash('sha256').update(manifestText).digest('hex'),
    from_webstore: settings['from_webstore'] === true ? 'true' : 'false',
    state: extensionState(settings),
    install_time: installed,
    install_timestamp: installed === '' ? null : Math.floor(Number(installed) / 1_000_000) - chromeEpochSeconds,
    key: text(manifest['key']),
  }
}

function parseManifest(manifest: string | undefined): Json {
  try {
    return asObject(JSON.parse((manifest ?? '{}').replace(/^\uFEFF/, '')))
  } catch {
    return {}
  }
}
