import { NotCollected } from '../tables/not-collected.ts'
import { columns, type Row, type Table } from '../tables/table.ts'
import { wantedAccounts } from './accounts.ts'
import { listDirectory, readText } from './read-files.ts'

const roots = [
  '.mozilla/firefox',
  'snap/firefox/common/.mozilla/firefox',
  '.var/app/org.mozilla.firefox/.mozilla/firefox',
]

type Addon = {
  id?: string
  type?: string
  version?: string
  sourceURI?: string | null
  visible?: boolean
  active?: boolean
  userDisabled?: boolean
  appDisabled?: boolean
  applyBackgroundUpdates?: number
  location?: string
  path?: string | null
  defaultLocale?: { name?: string; creator?: string | null; description?: string | null }
}

/** The addons that a profile's extensions.json lists. */
export function parseAddons(json: string): Row[] {
  const { addons = [] } = JSON.parse(json) as { addons?: Addon[] }
  const flag = (value: boolean | undefined) => (value ? 1 : 0)
  return addons.map((addon) => ({
    name: addon.defaultLocale?.name,
    identifier: addon.id,
    creator: addon.defaultLocale?.creator,
    type: addon.type,
    version: addon.version,
    description: addon.defaultLocale?.description,
    source_url: addon.sourceURI,
    visible: flag(addon.visible),
    active: flag(addon.active),
    disabled: flag(addon.userDisabled || addon.appDisabled),
    autoupdate: addon.applyBackgroundUpdates === 0 ? 0 : 1,
    location: addon.location,
    path: addon.path,
  }))
}

function addonsOf(profile: string, json: string): Row[] {
  try {
    return parseAddons(json)
  } catch {
    throw new NotCollected(`${profile}/extensions.json is not what Firefox writes`)
  }
}

export const firefoxAddons: Table = {
  name: 'firefox_addons',
  columns:
    columns(`uid:bigint name identifier creator type version description source_url visible:integer active:integer
    disabled:integer autoupdate:integer location path`),
  pushed: { uid: 'equal' },
  *collect(constraints) {
    for (const account of wantedAccounts(constraints)) {
      for (const root of roots.map((each) => `${account.directory}/${each}`)) {
        for (const profile of listDirectory(root)) {
          const json = readText(`${root}/${profile}/extensions.json`)
          if (json === undefined) continue
          for (const row of addonsOf(`${root}/${profile}`, json)) yield { uid: account.uid, ...row }
        }
      }
    }
  },
}
