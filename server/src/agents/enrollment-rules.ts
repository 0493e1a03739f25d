/** What osquery tells of a machine when it enrols. */
export type DeviceFacts = {
  name: string
  device_type: 'Mac' | 'Linux' | 'Windows'
  operating_system: string | null
  hardware_model: string | null
  serial: string | null
  hardware_uuid: string | null
  machine_id: string | null
  agent_version: string | null
}

export type EnrollmentRequest = { secret: string; facts: DeviceFacts }

type Fields = Record<string, unknown>

const longestText = 255

/** Reads the body of an enrolment; undefined when it has no secret. Everything else may be missing. */
export function readEnrollment(body: unknown): EnrollmentRequest | undefined {
  const request = fieldsOf(body)
  const secret = request['enroll_secret']
  if (typeof secret !== 'string' || secret === '') return undefined
  const details = fieldsOf(request['host_details'])
  const system = fieldsOf(details['system_info'])
  const os = fieldsOf(details['os_version'])
  const serial = serialOf(textOf(system['hardware_serial']))
  const hardwareUuid = hardwareUuidOf(textOf(system['uuid']))
  const hostIdentifier = textOf(request['host_identifier'])
  return {
    secret,
    facts: {
      name: textOf(system['computer_name']) || textOf(system['hostname']) || hostIdentifier || 'Unnamed device',
      device_type: deviceTypeOf(textOf(request['platform_type']), textOf(os['platform'])),
      operating_system: operatingSystemOf(textOf(os['name']), textOf(os['version'])),
      hardware_model: known(textOf(system['hardware_model'])),
      serial,
      hardware_uuid: hardwareUuid,
      machine_id: serial === null && hardwareUuid === null ? hostIdentifier || null : null,
      agent_version: textOf(fieldsOf(details['osquery_info'])['version']) || null,
    },
  }
}

/**
 * What a machine is found again by, or undefined when nothing tells it apart. Part of it may be missing on both
 * sides, but nothing may differ.
 */
export function identityOf({ hardware_uuid, serial, machine_id }: DeviceFacts): string | undefined {
  if (hardware_uuid === null && serial === null && machine_id === null) return undefined
  return JSON.stringify([hardware_uuid, serial, machine_id])
}

/** Seen this shortly before, an agent is taken to be alive when another one enrols as the same machine. */
const aliveMs = 600_000

export type EarlierAgent = {
  registered_owner_id: string | null
  /** When the earlier agent last spoke after it had enrolled. */
  spokeAt: string | null
}

/**
 * Why an enrolment as a known machine puts its registration in doubt; undefined when it does not. A shared secret and
 * a serial that can be read off the lid must not take over somebody's device.
 */
export function doubtOf(earlier: EarlierAgent, secretPersonId: string | null, now: string): string | undefined {
  if (earlier.registered_owner_id === null) return undefined
  if (secretPersonId !== earlier.registered_owner_id) {
    return 'it enrolled again with a secret that is not bound to its owner'
  }
  return isInUse(earlier.spokeAt, now) ? 'it enrolled again while its earlier agent was in use' : undefined
}

/** Whether an agent that spoke then, or never, counts as one that is in use. */
export const isInUse = (spokeAt: string | null, now: string): boolean =>
  spokeAt !== null && Date.parse(now) - Date.parse(spokeAt) < aliveMs

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

/** Text that a database can hold, without what surrounds it. */
function textOf(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return ''
  return String(value).replaceAll('\0', '').toWellFormed().trim().slice(0, longestText).toWellFormed()
}

/** What firmware says where nobody filled it in. */
const placeholder =
  /default|serial|string|^(?:|-1|0+|none|null|unknown|n\/?a|not (?:specified|available|applicable)|invalid|oem|x+|\.+|to be filled.*|system (?:product name|manufacturer|version)|123456789.*|0123456789.*)$/i

const known = (text: string): string | null => (placeholder.test(text) ? null : text)
const serialOf = known

/** A UUID that many boards share, since their maker left it as it came. */
const sharedUuids = new Set(['03000200-0400-0500-0006-000700080009', '12345678-1234-5678-90AB-CDDEEFAABBCC'])

function hardwareUuidOf(text: string): string | null {
  const uuid = text.toUpperCase()
  const digits = uuid.replaceAll('-', '')
  return /^(?:0*|F*)$/.test(digits) || sharedUuids.has(uuid) || placeholder.test(text) ? null : uuid
}

/** `platform_type` is osquery's bit mask: 2 is Windows, 16 macOS, 8 Linux. */
function deviceTypeOf(platformType: string, platform: string): DeviceFacts['device_type'] {
  const mask = Number.parseInt(platformType, 10) || 0
  if (mask & 2 || platform === 'windows') return 'Windows'
  return mask & 16 || platform === 'darwin' ? 'Mac' : 'Linux'
}

/** `Debian GNU/Linux 12` of `Debian GNU/Linux` and `12 (bookworm)`. */
function operatingSystemOf(name: string, version: string): string | null {
  const number = version.replace(/\s*\([^)]*\)/g, '').trim()
  const isNamed = number === '' || name.includes(number)
  return (isNamed ? name : `${name} ${number}`.trim()) || null
}
