import type { FieldError } from '@muster/contract/errors.ts'
import { isSecure } from '../egress/address-rules.ts'

/** What is wrong with an address that answers or people are sent to; undefined for https, and for this machine. */
function faultOfAddress(address: string): string | undefined {
  const url = URL.parse(address)
  if (url && isSecure(url) && url.hash === '' && url.username === '' && url.password === '') return undefined
  return 'must be an https address without a fragment'
}

export function faultsOfAddresses({
  redirectUris = [],
  startUrl,
}: {
  redirectUris?: readonly string[] | undefined
  startUrl?: string | null | undefined
}): FieldError[] {
  const redirects = redirectUris.flatMap((address) => {
    const message = faultOfAddress(address)
    return message === undefined ? [] : [{ field: 'redirect_uris', message: `${message}: ${address.slice(0, 200)}` }]
  })
  const message = startUrl === undefined || startUrl === null ? undefined : faultOfAddress(startUrl)
  return message === undefined ? redirects : [...redirects, { field: 'start_url', message }]
}

type WhoSays = {
  kind: 'second_step' | 'application' | 'entra'
  requestKeys: readonly object[] | null
  upstreamId: string | null
  groupIds: readonly string[]
  mode: 'enforce' | 'observe' | 'disabled'
}

/** What is wrong with how a connection learns who the person is: each kind has one way, and a disabled one needs none yet. */
export function faultsOfPerson({ kind, requestKeys, upstreamId, groupIds, mode }: WhoSays): FieldError[] {
  if (kind === 'application') {
    return upstreamId === null ? [{ field: 'upstream_id', message: 'is needed: an upstream signs its people in' }] : []
  }
  const isNobody = kind === 'second_step' && requestKeys === null && mode !== 'disabled'
  return [
    ...(upstreamId === null ? [] : [{ field: 'upstream_id', message: 'is for connections of the kind application' }]),
    ...(groupIds.length === 0 ? [] : [{ field: 'group_ids', message: 'are for connections of the kind application' }]),
    ...(isNobody ? [{ field: 'request_keys', message: 'are needed: a second step signs its requests' }] : []),
  ]
}
