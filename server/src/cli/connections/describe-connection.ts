import type { SignInConnectionView } from '@muster/contract/console-sign-in.ts'
import { mayDoWithoutPkce, requestRefusals } from '@muster/contract/request-refusals.ts'

type Field = readonly [name: string, value: string | null]

/** Everything about a connection but its secret, by name. */
export function fieldsOfConnection(view: SignInConnectionView, upstreamName: string | undefined, now: string): Field[] {
  return [
    ['Connection', view.id],
    ['Name', view.name],
    ['Kind', view.kind],
    ['Mode', view.mode],
    ...fieldsOfPause(view, now),
    ['Issuer', view.issuer],
    ['Client ID', view.client_id],
    ...(view.entra ? fieldsOfEntra(view.entra) : fieldsOfClient(view)),
    ...(view.upstream_id === null ? [] : [['Upstream', `${view.upstream_id} (${upstreamName ?? '–'})`] as const]),
    ...view.groups.map(({ id, name }): Field => ['Shared group', `${id} (${name})`]),
    ['Start address', view.start_url],
    ['Managed browsers', view.is_browser_managed ? 'yes' : 'no'],
    ['Waits', `${view.wait_seconds / 60} minutes`],
    ['Added', view.created_at],
    ['Last sign-in', view.last_sign_in_at ?? 'none within 30 days'],
    ['Within 7 days', `${view.signed_in_count} got in, ${view.failed_count} did not`],
    ...(view.last_refusal ? [['Last refusal', describeRefusal(view, view.last_refusal)] as const] : []),
  ]
}

type Refused = Pick<SignInConnectionView, 'id' | 'kind' | 'is_public'>

/** When and why a request was refused last, and what to do about it. */
export function describeRefusal(
  connection: Refused,
  { reason, refused_at: at }: NonNullable<SignInConnectionView['last_refusal']>,
): string {
  const { what, advice } = requestRefusals[reason]
  const mayBeLifted = reason === 'pkce_missing' && mayDoWithoutPkce(connection)
  const or = mayBeLifted ? `, or do without: muster connections change ${connection.id} --without-pkce` : ''
  return `${at}: ${what}. ${advice}${or}`
}

function fieldsOfPause({ paused_until: until, pause_reason: reason }: SignInConnectionView, now: string): Field[] {
  if (until === null || until <= now) return [['Pause', 'none']]
  return [
    ['Paused until', until],
    ['Reason', reason],
  ]
}

function fieldsOfClient(view: SignInConnectionView): Field[] {
  const kids = view.request_keys?.keys.map(({ kid }) => (typeof kid === 'string' ? kid : 'without kid')) ?? []
  return [
    ['Client secret', view.is_public ? 'none: a public client' : 'set, and not shown again'],
    ...view.redirect_uris.map((uri): Field => ['Redirect URI', uri]),
    ...view.post_logout_redirect_uris.map((uri): Field => ['Post-logout redirect URI', uri]),
    ['PKCE', view.requires_pkce ? 'required' : 'not required: requests without it need a nonce'],
    ['Request algorithm', view.request_algorithm ?? 'none: requests need no signature'],
    ...(view.request_keys_url === null ? [] : [['Request keys at', view.request_keys_url] as const]),
    ...kids.map((kid): Field => ['Request key', kid]),
  ]
}

const fieldsOfEntra = (entra: NonNullable<SignInConnectionView['entra']>): Field[] => [
  ['Discovery endpoint', entra.discovery_url],
  ['Reply URL', entra.authorization_endpoint],
  ['Cloud', entra.cloud],
  ...entra.tenant_ids.map((tenant): Field => ['Tenant ID', tenant]),
  ['App ID', entra.app_id],
]
