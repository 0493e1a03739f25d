import type { OwnerListLine } from '@muster/contract/owner-lists.ts'

export type ReadCell = OwnerListLine['cells'][number]
export type OwnerListRow = {
  readonly line: number
  /** What was understood, without what does not count. */
  readonly cells: readonly ReadCell[]
  /** Why the line cannot be read. */
  readonly fault?: string
}

export type ListedPerson = { readonly id: string; readonly name: string; readonly email: string }
export type ListedDevice = { readonly id: string; readonly name: string; readonly owner: ListedPerson | null }

/** By the text in the list, folded: whom and what it names. */
export type Known = {
  readonly devices: (text: string) => readonly ListedDevice[]
  readonly people: (text: string) => readonly ListedPerson[]
}

type Named = {
  readonly row: OwnerListRow
  readonly device: ListedDevice | undefined
  readonly people: readonly ListedPerson[]
  readonly refusal: string | undefined
  /** Who is named, also where nobody is known by it; undefined where the line says nothing of an owner. */
  readonly ownerKey: string | undefined
}

/** What each line comes to. What contradicts itself is refused in all its lines: none of them is more right than another. */
export function judgeLines(rows: readonly OwnerListRow[], known: Known): OwnerListLine[] {
  const named = rows.map((row) => nameLine(row, known))
  const lines = Map.groupBy(named, ({ device }) => device?.id)
  lines.delete(undefined)
  const contradictions = new Map([...lines].map(([id, some]) => [id, contradictionIn(some)]))
  const firsts = new Map([...lines].map(([id, some]) => [id, some.find(({ refusal }) => refusal === undefined)]))
  return named.map((one) => {
    const first = firsts.get(one.device?.id)
    const repeated = first === one ? undefined : first?.row.line
    return judged(one, one.refusal ?? contradictions.get(one.device?.id), repeated)
  })
}

function nameLine(row: OwnerListRow, known: Known): Named {
  const textsOf = (kind: ReadCell['means']) => row.cells.flatMap(({ means, text }) => (means === kind ? [text] : []))
  const [deviceTexts, ownerTexts] = [textsOf('device'), textsOf('owner')]
  const found = deviceTexts.map(known.devices).filter(({ length }) => length > 0)
  // A serial number that several have is told apart by the hardware UUID beside it.
  const devices = (found[0] ?? []).filter(({ id }) => found.every((some) => some.some((other) => other.id === id)))
  const people = uniqueById(ownerTexts.flatMap(known.people))
  const refusal =
    row.fault ??
    faultOfTexts(deviceTexts, ownerTexts) ??
    faultOfDevices(devices, found.length > 0) ??
    faultOfPeople(people)
  const keys = people.length > 0 ? people.map(({ id }) => id) : ownerTexts.map((text) => text.toLowerCase())
  return {
    ...{ row, people, refusal },
    device: devices.length === 1 ? devices[0] : undefined,
    ownerKey: keys.length === 0 ? undefined : keys.toSorted().join(' '),
  }
}

function faultOfTexts(devices: readonly string[], owners: readonly string[]): string | undefined {
  if (devices.length === 0) return 'The line has no serial number or hardware UUID.'
  if ([...devices, ...owners].some((text) => text.includes('\uFFFD'))) {
    return 'The line has letters that are not UTF-8: save the list as UTF-8.'
  }
  const [owner] = owners
  if (owner === undefined) return 'The line has no e-mail address.'
  return owner.includes('@') ? undefined : `“${shortened(owner)}” is not an e-mail address.`
}

function faultOfDevices(devices: readonly ListedDevice[], isAnyFound: boolean): string | undefined {
  if (!isAnyFound) return 'No device has this serial number or hardware UUID.'
  if (devices.length === 0) return 'The serial number and the hardware UUID are of different devices.'
  return devices.length > 1 ? `${devices.length} devices have this serial number or hardware UUID.` : undefined
}

function faultOfPeople(people: readonly ListedPerson[]): string | undefined {
  if (people.length === 0) return 'Nobody has this e-mail address or user name.'
  if (people.length === 1) return undefined
  const named = people.slice(0, shownPeople).map(({ name, email }) => `${shortened(name)} (${shortened(email)})`)
  return `The line names ${people.length} people: ${named.join(', ')}${people.length > shownPeople ? ' and others' : ''}.`
}

function contradictionIn(lines: readonly Named[]): string | undefined {
  const saying = lines.filter(({ ownerKey }) => ownerKey !== undefined)
  if (new Set(saying.map(({ ownerKey }) => ownerKey)).size < 2) return undefined
  return `Lines ${inWords(saying.map(({ row }) => row.line))} name different owners of this device.`
}

function judged({ row, device, people }: Named, refusal: string | undefined, repeated: number | undefined) {
  const [person = null] = people.length === 1 ? people : []
  const owner = device?.owner ?? null
  const base = {
    ...{ line: row.line, cells: [...row.cells], person, owner },
    device: device ? { id: device.id, name: device.name } : null,
  }
  if (refusal !== undefined) return { ...base, outcome: 'refused' as const, reason: refusal }
  if (repeated !== undefined)
    return { ...base, outcome: 'unchanged' as const, reason: `Line ${repeated} says the same.` }
  return { ...base, outcome: outcomeOf(owner, person), reason: null }
}

function outcomeOf(owner: ListedPerson | null, person: ListedPerson | null): 'new' | 'replaced' | 'unchanged' {
  if (owner === null) return 'new'
  return owner.id === person?.id ? 'unchanged' : 'replaced'
}

const uniqueById = (people: readonly ListedPerson[]) => [...new Map(people.map((one) => [one.id, one])).values()]

const shownLines = 5
const shownPeople = 3

/** `2 and 3`, `2, 3 and 17`. */
function inWords(lines: readonly number[]): string {
  const shown = lines.length > shownLines ? lines.slice(0, shownLines) : lines.slice(0, -1)
  const last = lines.length > shownLines ? `${lines.length - shownLines} more` : String(lines.at(-1))
  return `${shown.join(', ')} and ${last}`
}

const maxShown = 60
const shortened = (text: string): string => (text.length > maxShown ? `${text.slice(0, maxShown)}…` : text)
