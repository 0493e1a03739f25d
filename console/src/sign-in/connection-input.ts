import type { SignInConnectionCreation, SignInConnectionView } from '@muster/contract/console-sign-in.ts'
import { mayDoWithoutPkce } from '@muster/contract/request-refusals.ts'
import type { PersonGroupName } from '../components/person-group-choice.tsx'
import { visibleText } from '../components/visible-text.ts'

/** What a form holds of a connection. */
export type ConnectionInput = {
  /** Chosen once. */
  readonly kind: SignInConnectionView['kind']
  /** Chosen once: without a secret. */
  readonly isPublic: boolean
  readonly name: string
  /** One on each line. */
  readonly redirectUris: string
  /** Where people are led back to from signing out: one on each line. */
  readonly postLogoutUris: string
  readonly requiresPkce: boolean
  /** The JSON of a key set (RFC 7517), or where the caller publishes it; blank without. */
  readonly requestKeys: string
  /** The upstream that signs the people of an application in; blank without. */
  readonly upstreamId: string
  /** That are shared with an application. */
  readonly groups: readonly PersonGroupName[]
  readonly startUrl: string
  readonly isBrowserManaged: boolean
  readonly waitMinutes: number
}

export type NewConnectionInput = ConnectionInput & { readonly kind: SignInConnectionCreation['kind'] }

export const noInput: NewConnectionInput = {
  kind: 'second_step',
  isPublic: false,
  name: '',
  redirectUris: '',
  postLogoutUris: '',
  requiresPkce: true,
  requestKeys: '',
  upstreamId: '',
  groups: [],
  startUrl: '',
  isBrowserManaged: false,
  waitMinutes: 10,
}

export const inputOf = (connection: SignInConnectionView): ConnectionInput => ({
  kind: connection.kind,
  isPublic: connection.is_public,
  name: connection.name,
  redirectUris: connection.redirect_uris.join('\n'),
  postLogoutUris: connection.post_logout_redirect_uris.join('\n'),
  requiresPkce: connection.requires_pkce,
  requestKeys:
    connection.request_keys_url ??
    (connection.request_keys === null ? '' : JSON.stringify(connection.request_keys, null, 2)),
  upstreamId: connection.upstream_id ?? '',
  groups: connection.groups,
  startUrl: connection.start_url ?? '',
  isBrowserManaged: connection.is_browser_managed,
  waitMinutes: Math.round(connection.wait_seconds / 60),
})

type KeySet = { keys: Record<string, unknown>[] }

/** The key set of a text: null for a blank one, undefined for what is none. A list of keys is taken as a set. */
export function readKeySet(text: string): KeySet | null | undefined {
  if (text.trim() === '') return null
  try {
    const value: unknown = JSON.parse(text)
    const keys: unknown = Array.isArray(value) ? value : Object(value).keys
    const isSet = Array.isArray(keys) && keys.length > 0 && keys.every((key) => typeof key === 'object' && key !== null)
    return isSet ? { keys } : undefined
  } catch {
    return undefined
  }
}

const keysUrlOf = (text: string): string | undefined => (/^https?:\/\/\S+$/.test(text.trim()) ? text.trim() : undefined)

/** Whether the text is a key set, an address of one, or blank. */
export const areKeysReadable = (text: string): boolean =>
  keysUrlOf(text) !== undefined || readKeySet(text) !== undefined

/** Of an address the keys are left out: they are read there. */
function keysOf(text: string): { request_keys?: KeySet | null; request_keys_url: string | null } {
  const url = keysUrlOf(text)
  return url === undefined
    ? { request_keys: readKeySet(text) ?? null, request_keys_url: null }
    : { request_keys_url: url }
}

const linesOf = (text: string): string[] => text.split(/\s+/).filter(Boolean)

/** Whether the form lets PKCE be turned off. */
export const mayTurnPkceOff = ({ kind, isPublic }: Pick<ConnectionInput, 'kind' | 'isPublic'>): boolean =>
  mayDoWithoutPkce({ kind, is_public: isPublic })

export const bodyOf = (input: ConnectionInput) => ({
  name: input.name.trim(),
  redirect_uris: linesOf(input.redirectUris),
  post_logout_redirect_uris: linesOf(input.postLogoutUris),
  // Turned off before another kind or a public client was chosen, it stays on.
  requires_pkce: input.requiresPkce || !mayTurnPkceOff(input),
  ...keysOf(input.requestKeys),
  upstream_id: input.kind === 'application' && input.upstreamId !== '' ? input.upstreamId : null,
  group_ids: input.kind === 'application' ? input.groups.map(({ id }) => id) : [],
  start_url: input.startUrl.trim() === '' ? null : input.startUrl.trim(),
  is_browser_managed: input.isBrowserManaged,
  wait_seconds: input.waitMinutes * 60,
})

export const labels: Readonly<Record<keyof ConnectionInput, string>> = {
  kind: 'kind',
  isPublic: 'client',
  name: 'name',
  redirectUris: 'redirect addresses',
  postLogoutUris: 'sign-out addresses',
  requiresPkce: 'PKCE',
  requestKeys: 'request keys',
  upstreamId: 'upstream',
  groups: 'shared groups',
  startUrl: 'start address',
  isBrowserManaged: 'managed browsers',
  waitMinutes: 'waiting time',
}

export const shownOf = (input: ConnectionInput, field: keyof ConnectionInput): string => {
  if (field === 'groups') return input.groups.map(({ name }) => visibleText(name)).join(', ')
  const value = input[field]
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value)
}

/** The members that differ: what was not touched is not sent. */
export function changeOf(before: ConnectionInput, after: ConnectionInput): Partial<ReturnType<typeof bodyOf>> {
  const old: Readonly<Record<string, unknown>> = bodyOf(before)
  const changed = Object.entries(bodyOf(after)).filter(
    ([member, value]) => JSON.stringify(value) !== JSON.stringify(old[member]),
  )
  return Object.fromEntries(changed)
}

const memberLabels: Readonly<Record<keyof ReturnType<typeof bodyOf>, string>> = {
  name: labels.name,
  redirect_uris: labels.redirectUris,
  post_logout_redirect_uris: labels.postLogoutUris,
  requires_pkce: labels.requiresPkce,
  request_keys: labels.requestKeys,
  request_keys_url: labels.requestKeys,
  upstream_id: labels.upstreamId,
  group_ids: labels.groups,
  start_url: labels.startUrl,
  is_browser_managed: labels.isBrowserManaged,
  wait_seconds: labels.waitMinutes,
}

/** `2 changes: name, request keys`; blank without any. */
export function changesInWords(before: ConnectionInput, after: ConnectionInput): string {
  const members = Object.keys(changeOf(before, after)) as (keyof typeof memberLabels)[]
  const isUnreadable = !areKeysReadable(after.requestKeys) && before.requestKeys !== after.requestKeys
  const words = [
    ...new Set([...members.map((member) => memberLabels[member]), ...(isUnreadable ? [labels.requestKeys] : [])]),
  ]
  if (words.length === 0) return ''
  return `${words.length === 1 ? '1 change' : `${words.length} changes`}: ${words.join(', ')}`
}
