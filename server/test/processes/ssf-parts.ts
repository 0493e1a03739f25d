import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { openReceiver, type Receiver } from '../support/receivers.ts'
import type { setChecker } from '../support/set-checks.ts'
import type { TlsServer } from '../support/tls-server.ts'

export const [push, poll] = ['urn:ietf:rfc:8935', 'urn:ietf:rfc:8936']

export type Stream = {
  id: string
  stream_id: string
  aud: string
  delivery: { endpoint_url: string }
  poll_bearer_token: string
}
export type Parts = { t: TestContext; tls: TlsServer; check: ReturnType<typeof setChecker> }

export async function ask({ tls: { server, key } }: Parts, method: string, path: string, body?: unknown) {
  const answer = await server.ask(method, path, { key, ...(body !== undefined && { body }) })
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

export const makeStream = (parts: Parts, json: object): Promise<Stream> => ask(parts, 'POST', '/ssf_streams', json)

export async function receiving({ t }: Parts): Promise<Receiver> {
  const receiver = await openReceiver()
  t.after(() => receiver.close())
  return receiver
}

/** Polls with the poll token as the only credential, at the address that the stream names. */
export async function pollOf({ tls }: Parts, stream: Stream, json: object): Promise<{ sets: Record<string, string> }> {
  const answer = await tls.server.ask('POST', stream.delivery.endpoint_url, {
    key: stream.poll_bearer_token,
    body: json,
  })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

export const ms = (value: number): string => `${Math.round(value)} ms`
