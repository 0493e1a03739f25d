import assert from 'node:assert/strict'
import type { TlsServer } from '../support/tls-server.ts'

type Sent = { token?: string; json?: unknown; text?: string }

/** As any client of HTTP would, which shares nothing with ours; a body of JSON, or any text for one. */
export async function send(url: string, method: string, { token, json, text }: Sent = {}) {
  const body = text ?? (json === undefined ? undefined : JSON.stringify(json))
  const response = await fetch(url, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  })
  const answered = await response.text()
  // A test asserts whole bodies, so their type would only be in the way.
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const parsed: any = answered === '' ? undefined : JSON.parse(answered)
  return { status: response.status, body: parsed, headers: response.headers }
}

/** Of the first key of an organization, which is its name as a client of OAuth. */
export async function keyIdOf({ place }: TlsServer, organization: string): Promise<string> {
  const listed = await place.run(['keys', 'list', '--organization', organization])
  const id = /^(\d+) /m.exec(listed.out)?.[1]
  assert.ok(id, listed.err)
  return id
}

type Client = { secret?: string; organization?: string }

/** By client credentials, the key for the client. */
export async function grant(tls: TlsServer, scope: string, { secret = tls.key, organization = '1' }: Client = {}) {
  const [{ origin }, id] = [tls, await keyIdOf(tls, organization)]
  const response = await fetch(`${origin}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
  })
  const body = (await response.json()) as Record<string, string>
  return { status: response.status, ...body, access_token: body['access_token'] ?? '' }
}

export type Metadata = {
  issuer: string
  jwks_uri: string
  configuration_endpoint: string
  status_endpoint: string
  verification_endpoint: string
}

export type Operation = [method: string, url: string, json?: Record<string, unknown>]

/** Every operation about one stream. */
export function operationsOn(metadata: Metadata, id: string): Operation[] {
  const { configuration_endpoint: streams, status_endpoint: statuses, verification_endpoint: verify } = metadata
  return [
    ['GET', `${streams}?stream_id=${id}`],
    ['GET', `${streams}/${id}`],
    ['PATCH', streams, { stream_id: id, name: 'A' }],
    ['PUT', streams, { stream_id: id, name: 'A' }],
    ['PATCH', `${streams}/${id}`, { name: 'A' }],
    ['DELETE', `${streams}?stream_id=${id}`],
    ['DELETE', `${streams}/${id}`],
    ['GET', `${statuses}?stream_id=${id}`],
    ['POST', statuses, { stream_id: id, status: 'enabled' }],
    ['POST', verify, { stream_id: id, state: 's' }],
    ['GET', `${streams}/${id}/events`],
    ['POST', `${streams}/${id}/events`, { returnImmediately: true }],
  ]
}
