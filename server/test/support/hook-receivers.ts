import type { IncomingHttpHeaders } from 'node:http'
import { openReceiverOf, type ReceiverOf } from './receivers.ts'

/** A webhook as it arrived. */
export type Hook = {
  id: string
  event: string
  // A test asserts whole payloads, so their type would only be in the way.
  // biome-ignore lint/suspicious/noExplicitAny: as above
  data: any
  body: string
  headers: IncomingHttpHeaders
  atMs: number
}

export type HookReceiver = ReceiverOf<Hook>

export const openHookReceiver = (path = '/hooks'): Promise<HookReceiver> =>
  openReceiverOf(path, (body, { headers }) => ({ ...JSON.parse(body), body, headers, atMs: Date.now() }))
