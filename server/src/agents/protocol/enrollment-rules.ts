import { foldText } from '../../base/fold-text.ts'
import {
  agentVersionOf,
  computerNameOf,
  deviceTypeOf,
  factText,
  hardwareModelOf,
  hardwareUuidOf,
  isSharedUuid,
  type OsqueryDeviceType,
  operatingSystemOf,
  serialOf,
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
  /** What the agent calls its machine: by its flags a UUID, a name or anything else. */
  host_identifier: string | null
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
  const uuid = factText(system['uuid'])
  const hardwareUuid = hardwareUuidOf(uuid)
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
      machine_id: serial === null && hardwareUuid === null ? machineIdOf(hostIdentifier, uuid) : null,
      host_identifier: hostIdentifier || null,
      agent_version: agentVersionOf(fieldsOf(details['osquery_info'])),
    },
  }
}

/** What enrollments of one machine have in common, or undefined when nothing tells it apart. */
export function identityOf({ hardware_uuid, serial, machine_id }: DeviceFacts): string | undefined {
  if (hardware_uuid !== null) return JSON.stringify([hardware_uuid])
  return serial === null && machine_id === null
    ? undefined
    : JSON.stringify([null, serial && foldText(serial), machine_id])
}

/** Seen this shortly before, an agent is taken to be alive when another one enrolls as the same machine. */
const aliveMs = 600_000

export type KnownMachine = {
  serial: string | null
  host_identifier: string | null
  enrolled_at: string | null
  last_seen_at: string | null
}

/** Whether both are known and the same, in any case. */
export const isSameSerial = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && foldText(one) === foldText(other)

/**
 * Whether the facts that match a known device are those of a second machine: where not both UUID and serial agree,
 * agents that call their machines differently are two while the earlier one lives.
 */
export function isSecondMachine(known: KnownMachine, facts: DeviceFacts, now: string): boolean {
  const isSameHardware = facts.hardware_uuid !== null && isSameSerial(facts.serial, known.serial)
  const [before, after] = [known.host_identifier, facts.host_identifier].map((text) =>
    text === null ? undefined : foldText(text),
  )
  if (isSameHardware || before === undefined || after === undefined || before === after) return false
  return isInUse(known.last_seen_at, now) || isInUse(known.enrolled_at, now)
}

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

/** A host identifier that is the firmware's UUID tells no more apart than that one does. */
function machineIdOf(hostIdentifier: string, uuid: string): string | null {
  const isThatUuid = hostIdentifier.toLowerCase() === uuid.toLowerCase()
  return isThatUuid || isSharedUuid(hostIdentifier) ? null : hostIdentifier || null
}
