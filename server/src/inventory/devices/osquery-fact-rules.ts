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
  /default|serial|string|filled|o\.e\.m|^(?:|-1|0+|none|null|nil|unknown?|undefined|unspecified|unavailable|empty|blank|missing|n\/?a|not (?:specified|available|applicable|present|set|settable|defined)|invalid|oem|eval(?:uation)?|sample|dummy|test|tbd|iatpass|x+|\.+|system (?:product name|manufacturer|version)|123456789.*|0123456789.*)$/i

const isPlaceholder = (text: string): boolean => placeholder.test(text)

/** Whether each number follows on the one before by the same step, around the end too; a repeated one does, by 0. */
function isEvenRun(numbers: readonly number[], modulus: number, steps?: readonly number[]): boolean {
  const [first = 0, second = 0] = numbers
  const step = (second - first + modulus) % modulus
  const isStep = steps === undefined || steps.includes(step)
  return isStep && numbers.every((one, at) => at === 0 || (one - (numbers[at - 1] ?? 0) + modulus) % modulus === step)
}

/** `1111`, `NNNN`, `12345`, `9876543210`, `ABCDEF`, with or without marks in between. */
function isRun(text: string): boolean {
  const characters = [...text.toUpperCase()]
  if (/^\d+$/.test(text)) return isEvenRun(characters.map(Number), 10, [0, 1, 9])
  const codes = characters.map((character) => character.codePointAt(0) ?? 0)
  return /^[A-Z]+$/.test(characters.join('')) && isEvenRun(codes, 26, [0, 1, 25])
}

/** A word and a number that only counts: `SYS-1234567890`, `SN12345`, but not `VM-4711` or `PF12345`. */
const countedWord = /^(?:[a-z/]+[^a-z\d]+|s\/?n|sys)(\d{5,})$/i

/** Two words and no digit are prose. */
const prose = /^\D*\p{L}[\s_]+\p{L}\D*$/u

function isPlaceholderSerial(text: string): boolean {
  const plain = text.replaceAll(/[^\p{L}\d]/gu, '')
  const counted = countedWord.exec(text)?.[1]
  const isCounted = counted !== undefined && isRun(counted)
  return isPlaceholder(text) || plain.length < 2 || isCounted || prose.test(text) || (plain.length > 2 && isRun(plain))
}

/** The serial of a machine; null for what its maker left as it came. */
export const serialOf = (text: string): string | null => (isPlaceholderSerial(text) ? null : text)

/** UUIDs that many boards share, since their makers left them as they came. */
const sharedUuids = new Set(
  [
    '03000200-0400-0500-0006-000700080009',
    '12345678-1234-5678-90AB-CDDEEFAABBCC',
    '10000000-0000-8000-0040-000000000000',
  ]
    .flatMap((uuid) => [bytesOf(uuid), otherOrderOf(bytesOf(uuid))])
    .map(String),
)

const isUuid = (text: string): boolean => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)

/** Whether a text has the form of a UUID, but bytes that tell no machine apart. */
export function isSharedUuid(text: string): boolean {
  if (!isUuid(text)) return false
  const bytes = bytesOf(text)
  const isEven = [bytes, otherOrderOf(bytes)].some((one) => isEvenRun(one, 256))
  return isEven || new Set(bytes).size < 3 || sharedUuids.has(String(bytes))
}

/** The UUID of a machine, in capital letters; null for what its maker left as it came, and for text of another form. */
export const hardwareUuidOf = (text: string): string | null =>
  isUuid(text) && !isSharedUuid(text) ? text.toUpperCase() : null

function bytesOf(uuid: string): readonly number[] {
  return [...Buffer.from(uuid.replaceAll('-', ''), 'hex')]
}

/** SMBIOS has the first three fields in little-endian order since 2.6, and makers in both. */
function otherOrderOf(bytes: readonly number[]): readonly number[] {
  const field = (from: number, to: number) => bytes.slice(from, to).reverse()
  return [...field(0, 4), ...field(4, 6), ...field(6, 8), ...bytes.slice(8)]
}

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
