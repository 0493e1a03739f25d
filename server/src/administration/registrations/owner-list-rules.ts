import type { OwnerListLine } from '@muster/contract/console-owners.ts'

export type OwnerListRow = {
  readonly line: number
  /** A serial number or a hardware UUID. */
  readonly deviceText: string
  readonly email: string
}

type Person = { readonly id: string; readonly name: string; readonly email: string }
export type ListedDevice = { readonly id: string; readonly name: string; readonly owner: Person | null }

type Named = {
  readonly devices: readonly ListedDevice[]
  readonly person: Person | undefined
  readonly isRepeat: boolean
}

/** What a line comes to, given whom and what it names. */
export function judgeLine(row: OwnerListRow, { devices, person, isRepeat }: Named): OwnerListLine {
  const [device, ...others] = devices
  const reason = reasonOf(row, { device, others, person, isRepeat })
  return {
    line: row.line,
    device_text: row.deviceText,
    email: row.email,
    outcome: reason === undefined ? outcomeOf(device?.owner ?? null, person) : 'refused',
    reason: reason ?? null,
    device: device && others.length === 0 ? { id: device.id, name: device.name } : null,
    person: person ?? null,
    owner: others.length === 0 ? (device?.owner ?? null) : null,
  }
}

function outcomeOf(owner: Person | null, person: Person | undefined): 'new' | 'replaced' | 'unchanged' {
  if (owner === null) return 'new'
  return owner.id === person?.id ? 'unchanged' : 'replaced'
}

function reasonOf(
  { deviceText, email }: OwnerListRow,
  found: {
    readonly device: ListedDevice | undefined
    readonly others: readonly ListedDevice[]
    readonly person: Person | undefined
    readonly isRepeat: boolean
  },
): string | undefined {
  if (deviceText === '') return 'The line has no serial number or hardware UUID.'
  if (email === '') return 'The line has no e-mail address.'
  if (!found.device) return 'No device has this serial number or hardware UUID.'
  if (found.others.length > 0) return `${found.others.length + 1} devices have this serial number or hardware UUID.`
  if (!found.person) return 'Nobody has this e-mail address.'
  if (found.isRepeat) return 'An earlier line names this device.'
  return undefined
}
