type Fields = Record<string, unknown>

export type OsqueryDeviceType = 'Mac' | 'Linux' | 'Windows'

const maxTextLength = 255

/** Text that a database can hold, without what surrounds it. */
export function factText(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return ''
  return String(value).replaceAll('\0', '').toWellFormed().trim().slice(0, maxTextLength).toWellFormed()
}

/** What firmware says where nobody filled it in. */
const placeholder =
  /default|serial|string|^(?:|-1|0+|none|null|unknown|n\/?a|not (?:specified|available|applicable)|invalid|oem|x+|\.+|to be filled.*|system (?:product name|manufacturer|version)|123456789.*|0123456789.*)$/i

export const isPlaceholder = (text: string): boolean => placeholder.test(text)

/** What a row of `system_info` calls the machine; empty where it says nothing. */
export const computerNameOf = (system: Fields): string =>
  factText(system['computer_name']) || factText(system['hostname'])

export function hardwareModelOf(system: Fields): string | null {
  const model = factText(system['hardware_model'])
  return isPlaceholder(model) ? null : model
}

/** `Debian GNU/Linux 12` of `Debian GNU/Linux` and `12 (bookworm)` in a row of `os_version`. */
export function operatingSystemOf(os: Fields): string | null {
  const name = factText(os['name'])
  const number = factText(os['version'])
    .replace(/\s*\([^)]*\)/g, '')
    .trim()
  const isNamed = number === '' || name.includes(number)
  return (isNamed ? name : `${name} ${number}`.trim()) || null
}

/** The version in a row of `osquery_info`. */
export const agentVersionOf = (agent: Fields): string | null => factText(agent['version']) || null

/** What `os_version` calls the platform where it cannot tell more. */
const unspecific = new Set(['', 'posix', 'unknown'])

/**
 * `os_version` is read from the machine, so it goes before `platform_type`, which is how the agent was built: osquery's
 * bit mask, in which 2 is Windows, 16 macOS, 8 Linux.
 */
export function deviceTypeOf(platformType: string, os: Fields): OsqueryDeviceType {
  const platform = factText(os['platform']).toLowerCase()
  if (platform === 'windows') return 'Windows'
  if (platform === 'darwin') return 'Mac'
  if (!unspecific.has(platform)) return 'Linux'
  const mask = Number.parseInt(platformType, 10) || 0
  if (mask & 2) return 'Windows'
  return mask & 16 ? 'Mac' : 'Linux'
}
