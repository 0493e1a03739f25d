import type { OperationName, operations } from '@muster/contract/operations/all-operations.ts'

type Behind<Path> = Path extends `/${'views' | 'session'}/${infer Rest}`
  ? Rest
  : Path extends `/${infer Rest}`
    ? Rest
    : never
type First<Path> = Path extends `${infer Word}/${string}` ? Word : Path

/** The first word of an operation's path, behind the rooms that only the console has. */
export type Area = First<Behind<(typeof operations)[OperationName]['path']>>

/** `GET /views/streams/:streamId` is of `streams`. */
export const areaOf = (address: string): string =>
  address.replace(/^\w+ \/((views|session)\/)?/, '').replace(/\/.*/, '')

/** What changes, and the areas that show it, where these are others than the one of the same name. */
const shownIn = {
  audit: ['audit_logs', 'audit_chain'],
  checks: ['checks', 'catalogue', 'block_holds'],
  connections: ['sign_in_connections', 'sign_in_upstreams', 'sign_in_keys'],
  devices: [
    ...(['devices', 'deleted_devices', 'summary', 'day', 'first_steps', 'find', 'issues'] as const),
    ...(['owner_rule_preview', 'unregistration_previews'] as const),
  ],
  drafts: ['custom_check_drafts'],
  groups: ['device_groups', 'person_groups'],
  live_queries: ['live_queries', 'live_query_campaigns'],
  requests: ['exemption_requests', 'registration_requests', 'waiting_requests'],
  session: ['session', 'options', 'link'],
  settings: [
    ...(['settings', 'administrators', 'admin_users', 'enrollment_secrets', 'scim_tokens', 'privacy_keys'] as const),
    ...(['packages', 'reporting'] as const),
  ],
  sign_ins: ['sign_ins', 'auth_logs'],
  streams: ['streams', 'ssf_streams'],
  webhooks: ['webhooks', 'webhook_endpoints'],
} as const satisfies Readonly<Record<string, readonly Area[]>>

export type Subject = Area | keyof typeof shownIn

const isShownElsewhere = (subject: Subject): subject is keyof typeof shownIn => Object.hasOwn(shownIn, subject)

/** Where what changed is shown. */
export const areasOf = (subject: Subject): readonly Area[] => (isShownElsewhere(subject) ? shownIn[subject] : [subject])

export type Asked = {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}
export type AskedKey = readonly [area: string, name: OperationName, asked: Asked, ...apart: readonly string[]]

/** The key of what is asked of an operation. What is blank or undefined is not sent, and makes no other question. */
export function keyOf(address: string, name: OperationName, { params, query = {}, body }: Asked): AskedKey {
  const sent = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const asked = {
    ...(params && { params }),
    ...(sent.length > 0 && { query: Object.fromEntries(sent) }),
    ...(body !== undefined && { body }),
  }
  return [areaOf(address), name, asked]
}
