import { isEmailAddress } from '@muster/contract/email-address.ts'
import { foldText } from '../../base/fold-text.ts'
import { isRecord, type Values } from './attribute.ts'
import { refuse } from './scim-error.ts'

/** The desired state of a user, in the form of the database. */
export type UserDraft = {
  readonly userName: string
  readonly externalId: string | null
  /** Undefined: as it is. */
  readonly active: boolean | undefined
  /** Everything else, by the names of the schema. */
  readonly attributes: Values
  /** Of the person that the user is. */
  readonly name: string
  readonly email: string
  /** All addresses, folded, for looking the user up. */
  readonly emails: readonly string[]
}

// B-tree keys have room for this in any alphabet.
const maxKeyLength = 400
const maxNameLength = 400
const maxBytes = 64 * 1024

/**
 * The user of values that were read. Fails with invalidValue for what is missing, unfit or too much. The address that the user
 * has now may stay, whatever it is: leavers leave by a change of the whole.
 */
export function draftOf({ userName, externalId, active, ...attributes }: Values, current?: Values): UserDraft {
  if (typeof userName !== 'string' || userName.trim() === '')
    return refuse(400, 'invalidValue', 'userName is required.')
  requireKey('userName', userName)
  const external = typeof externalId === 'string' && externalId !== '' ? externalId : null
  if (external !== null) requireKey('externalId', external)
  if (typeof attributes['displayName'] === 'string') requireKey('displayName', attributes['displayName'])
  if (Buffer.byteLength(JSON.stringify(attributes)) > maxBytes) {
    refuse(400, 'invalidValue', `A user has at most ${maxBytes} bytes.`)
  }
  return {
    userName,
    externalId: external,
    active: typeof active === 'boolean' ? active : undefined,
    attributes,
    name: nameOf(attributes, userName),
    email: emailOf(attributes, userName, current && addressOf(current, String(current['userName']))),
    emails: addressesOf(attributes).map(({ value }) => foldText(value)),
  }
}

function requireKey(name: string, value: string): void {
  if (value.length > maxKeyLength) refuse(400, 'invalidValue', `${name} must have at most ${maxKeyLength} characters.`)
}

function nameOf({ displayName, name }: Values, userName: string): string {
  const { formatted, givenName, familyName } = isRecord(name) ? name : {}
  const whole = [givenName, familyName].filter((part) => typeof part === 'string' && part !== '').join(' ')
  const candidates = [displayName, formatted, whole, userName]
  const chosen = candidates.find((text): text is string => typeof text === 'string' && text.trim() !== '') ?? userName
  return chosen.trim().slice(0, maxNameLength).toWellFormed()
}

type Address = { value: string; type: unknown; isPrimary: boolean }

function addressesOf({ emails }: Values): Address[] {
  const elements = Array.isArray(emails) ? emails : []
  return elements.flatMap((element: unknown) =>
    isRecord(element) && typeof element['value'] === 'string' && element['value'] !== ''
      ? [{ value: element['value'], type: element['type'], isPrimary: element['primary'] === true }]
      : [],
  )
}

/** The primary address, else that for work, else the first; else the user name. */
export function addressOf(attributes: Values, userName: string): string {
  const addresses = addressesOf(attributes)
  const chosen =
    addresses.find(({ isPrimary }) => isPrimary) ?? addresses.find(({ type }) => type === 'work') ?? addresses[0]
  return chosen?.value ?? userName
}

function emailOf(attributes: Values, userName: string, known: string | undefined): string {
  const email = addressOf(attributes, userName)
  if (email === known || isEmailAddress(email)) return email
  return refuse(400, 'invalidValue', 'A user needs an e-mail address, in emails or as userName.')
}
