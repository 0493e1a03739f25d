import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, browsers, type Policies, policyNames, reachOf } from './browsers.ts'
import { type Ask, okIf, type Row, unknown } from './row.ts'

type Looking = { platform: NodeJS.Platform; origin: string | undefined; ask: Ask; root?: string }

/** The browsers that are installed, and whether an organization's policies let pages reach the companion. */
export async function lookAtBrowsers({ platform, origin, ask, root = '' }: Looking): Promise<Row[]> {
  const looks = { darwin: () => onMac(ask), linux: () => onLinux(root) }
  const look = platform === 'darwin' || platform === 'linux' ? looks[platform] : undefined
  if (!look) return [unknown('Browsers', 'not looked for on this system')]
  const found = await look()
  if (found === undefined) return [unknown('Browsers', 'unknown: osquery does not answer')]
  if (found.length === 0) return [unknown('Browsers', 'none of those that are known here')]
  return found.map(({ browser, version, policies }) => {
    const { words, isBlocked } = reachOf(browser, policies, origin)
    return okIf(!isBlocked, [browser.name, version].filter(Boolean).join(' '), words)
  })
}

type Found = { browser: Browser; version?: string; policies: Policies }

/**
 * By `apps`, and for policies by `plist`: `managed_policies` has the names of lists without what is in them. What an MDM sets for one
 * person alone is not read.
 */
async function onMac(ask: Ask): Promise<Found[] | undefined> {
  const bundles = browsers.map(({ bundle }) => `'${bundle}'`).join(', ')
  const apps = await ask(
    `SELECT bundle_identifier, bundle_short_version FROM apps WHERE bundle_identifier IN (${bundles})`,
  )
  if (!apps) return undefined
  const versions = new Map(apps.map((app) => [app['bundle_identifier'], app['bundle_short_version'] ?? '']))
  const installed = browsers.filter(({ bundle }) => versions.has(bundle))
  return Promise.all(
    installed.map(async (browser) => {
      const path = `/Library/Managed Preferences/${browser.bundle}.plist`
      const rows = (await ask(`SELECT key, subkey, value FROM plist WHERE path = '${path}'`)) ?? []
      return { browser, version: versions.get(browser.bundle) ?? '', policies: policiesIn(rows) }
    }),
  )
}

/** A row for each member of a list; Firefox's is below `LocalNetworkAccess`. */
function policiesIn(rows: readonly Record<string, string>[]): Policies {
  const policies: Record<string, string[]> = {}
  for (const { key = '', subkey = '', value = '' } of rows) {
    const name = policyNames.find((one) => one === key || one === subkey || subkey.startsWith(`${one}/`))
    if (name !== undefined && value !== '') policies[name] = [...(policies[name] ?? []), value]
  }
  return policies
}

async function onLinux(root: string): Promise<Found[]> {
  const installed = browsers.filter(({ programs }) => programs.some((path) => existsSync(root + path)))
  return Promise.all(
    installed.map(async (browser) => {
      const texts = await Promise.all(browser.policies.map((path) => readPolicies(root + path)))
      return { browser, policies: Object.assign({}, ...texts.flat().map(listsIn)) as Policies }
    }),
  )
}

/** The file, or the files of the folder in their order: of two that set a policy the later counts. */
async function readPolicies(path: string): Promise<string[]> {
  const names = path.endsWith('.json')
    ? ['']
    : (await readdir(path).catch(() => [])).filter((name) => name.endsWith('.json')).sort()
  const read = names.map((name) => readFile(join(path, name), 'utf8').catch(() => ''))
  return Promise.all(read)
}

function listsIn(text: string): Policies {
  const fields = fieldsOf(parsed(text))
  const all = { ...fields, ...fieldsOf(fieldsOf(fields['policies'])['LocalNetworkAccess']) }
  return Object.fromEntries(
    policyNames.flatMap((name) => {
      const list = all[name]
      return Array.isArray(list) ? [[name, list.map(String)]] : []
    }),
  )
}

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
