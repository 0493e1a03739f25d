import {
  agentVersionOf,
  computerNameOf,
  deviceTypeOf,
  factText,
  hardwareModelOf,
  isPlaceholder,
  type OsqueryDeviceType,
  operatingSystemOf,
} from '../../inventory/devices/osquery-fact-rules.ts'

/** What osquery says about a machine when it enrolls. */
export type DeviceFacts = {
  name: string
  device_type: OsqueryDeviceType
  operating_system: string | null
  hardware_model: string | null
  serial: string | null
  hardware_uuid: string | null
  machine_id: string | null
  agent_version: string | null
}

export type EnrollmentRequest = { secret: string; facts: DeviceFacts }

type Fields = Record<string, unknown>

/** Reads the body of an enrollment; undefined when it has no secret. Everything else may be missing. */
export function readEnrollment(body: unknown): EnrollmentRequest | undefined {
  const request = fieldsOf(body)
  const secret = request['enroll_secret']
  if (typeof secret !== 'string' || secret === '') return undefined
  const details = fieldsOf(request['host_details'])
  const system = fieldsOf(details['system_info'])
  const os = fieldsOf(details['os_version'])
  const serial = serialOf(factText(system['hardware_serial']))
  const hardwareUuid = hardwareUuidOf(factText(system['uuid']))
  const hostIdentifier = factText(request['host_identifier'])
  return {
    secret,
    facts: {
      name: computerNameOf(system) || hostIdentifier || 'Unnamed device',
      device_type: deviceTypeOf(factText(request['platform_type']), os),
      operating_system: operatingSystemOf(os),
      hardware_model: hardwareModelOf(system),
      serial,
      hardware_uuid: hardwareUuid,
      machine_id: serial === null && hardwareUuid === null ? hostIdentifier || null : null,
      agent_version: agentVersionOf(fieldsOf(details['osquery_info'])),
    },
  }
}

/** What enrollments of one machine have in common, or undefined when nothing tells it apart. */
export function identityOf({ hardware_uuid, serial, machine_id }: DeviceFacts): string | undefined {
  if (hardware_uuid !== null) return JSON.stringify([hardware_uuid])
  return serial === null && machine_id === null ? undefined : JSON.stringify([null, serial, machine_id])
}

/** Seen this shortly before, an agent is taken to be alive when another one enrolls as the same machine. */
const aliveMs = 600_000

export type EarlierAgent = {
  registered_owner_id: string | null
  /** When the earlier agent last spoke after it had enrolled. */
  spokeAt: string | null
}

/**
 * Why an enrollment as a known machine suspends its registration; undefined when it does not. A shared secret and
 * a serial that can be read off the lid must not take over someone's device.
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

const serialOf = (text: string): string | null => (isPlaceholder(text) ? null : text)

/** A UUID that many boards share, since their maker left it as it came. */
const sharedUuids = new Set(['03000200-0400-0500-0006-000700080009', '12345678-1234-5678-90AB-CDDEEFAABBCC'])

function hardwareUuidOf(text: string): string | null {
  const uuid = text.toUpperCase()
  const digits = uuid.replaceAll('-', '')
  return /^(?:0*|F*)$/.test(digits) || sharedUuids.has(uuid) || isPlaceholder(text) ? null : uuid
}
