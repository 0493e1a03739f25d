import { isInUse, isSameSerial } from '../protocol/enrollment-rules.ts'

type Identity = { readonly serial: string | null; readonly hardware_uuid: string | null }
/** When its agent enrolled or last spoke. */
type Spoken = { readonly heard_at: string | null }

/** What two devices say of their hardware alike. Makers' placeholders never count: they are not stored. */
export const sameIdentity = (kept: Identity, other: Identity) => ({
  serial: isSameSerial(kept.serial, other.serial),
  hardware_uuid: kept.hardware_uuid !== null && kept.hardware_uuid.toLowerCase() === other.hardware_uuid?.toLowerCase(),
})

/** Whose agent continues: the one that spoke last, since one machine has one agent. Null where neither ever has. */
export function agentOf(kept: Spoken, other: Spoken): 'kept' | 'other' | null {
  if (kept.heard_at === null && other.heard_at === null) return null
  return (kept.heard_at ?? '') > (other.heard_at ?? '') ? 'kept' : 'other'
}

export const doBothReport = (kept: Spoken, other: Spoken, now: string): boolean =>
  isInUse(kept.heard_at, now) && isInUse(other.heard_at, now)

/** Two agents that live with two identities are two machines, unless someone knows better. */
export function needsConfirmation(kept: Identity & Spoken, other: Identity & Spoken, now: string): boolean {
  const same = sameIdentity(kept, other)
  return doBothReport(kept, other, now) && !same.serial && !same.hardware_uuid
}

type Registered = {
  readonly registered_owner_id: string | null
  readonly registration_suspended_at: string | null
}

type Side = Spoken & Registered

/**
 * Whether the agent that continues was not its owner's: then the registration is in doubt, as after an enrollment with a shared
 * secret. An equal serial or hardware UUID shows nothing, since machines say these themselves.
 */
function isOwnerInDoubt(kept: Side, other: Side): boolean {
  const ownerId = kept.registered_owner_id ?? other.registered_owner_id
  const agent = agentOf(kept, other)
  if (ownerId === null || agent === null) return false
  return { kept, other }[agent].registered_owner_id !== ownerId
}

/** Why the registration of the device that stays is in doubt; undefined where it is not. */
export function doubtOf(kept: Side, other: Side): string | undefined {
  if (kept.registered_owner_id === null && other.registration_suspended_at !== null) {
    return 'the device that was merged into it was suspended'
  }
  if (!isOwnerInDoubt(kept, other)) return undefined
  return 'a merge gave it the agent of a device that was not registered to its owner'
}

type Taken = { hasOwner: boolean; exemptions: number; groups: number }

/** What a merge needs beyond the right to delete devices: the rights to do by hand what it does. */
export const powersFor = ({ hasOwner, exemptions, groups }: Taken) => [
  ...(hasOwner || exemptions > 0 ? (['manage_user_requests'] as const) : []),
  ...(groups > 0 ? (['manage_device_groups'] as const) : []),
]

type Device = { readonly id: string; readonly device_type: string; readonly deleted_at: string | null }

/** Why the other device cannot be merged into the kept one; undefined where it can. */
export function faultOfOther(kept: Device, other: Device): string | undefined {
  if (kept.id === other.id) return 'is the device itself'
  if (other.deleted_at !== null) return 'is being deleted already'
  if (kept.device_type === other.device_type) return undefined
  return `runs ${other.device_type}, and the device that stays runs ${kept.device_type}`
}
