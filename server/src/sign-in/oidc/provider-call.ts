import type { IncomingMessage } from 'node:http'
import type { RequestRefusal } from '@muster/contract/request-refusals.ts'
import { type AdapterPayload, errors, Provider } from 'oidc-provider'
import type { Tx } from '../../base/db/transact.ts'
import type { OutcomeClaims } from './claims-rules.ts'

/** A request that the provider has accepted: what it asks for, and which of that was signed. */
export type AcceptedRequest = {
  uid: string
  clientId: string
  params: Readonly<Record<string, unknown>>
  signed: readonly string[]
  /** By which a signed request is known when it comes again. SHA-256. */
  mark: Buffer | undefined
  /** How far the clock of its caller is ahead of ours, in milliseconds; undefined of a request that is not signed or does not say. */
  aheadMs: number | undefined
  /** What the provider needs again when the sign-in is over. */
  payload: AdapterPayload
}

/** What a page says of a request that is not answered: our reasons, and those of the provider itself. */
export type Failure = 'too_many' | 'unavailable' | 'answered' | 'not_over' | { error: string; description: string }
/** The cookie of a sign-in for the browser that began it, and the address that this browser goes on to. */
export type BegunSignIn = { cookie: string; destination: string }

export type Drawn = { status: number; headers: Record<string, string>; body: string }

type Refusal = { clientId: string; reason: RequestRefusal }

/** What a request brings along from its route to what the provider asks of us while it serves it. */
export type ProviderCall = {
  /** Begins the sign-in of an accepted request. `nobody`: the request vouches for no one. */
  begin: (request: AcceptedRequest) => Promise<BegunSignIn | 'too_many' | 'replayed' | 'nobody'>
  setCookie: (cookie: string) => void
  /**
   * Ends the sign-in with its answer, in the transaction that writes the code of it. `not_over`: it may not be answered as it
   * is now.
   */
  answer: (tx: Tx, sessionId: string) => Promise<OutcomeClaims | 'answered' | 'not_over'>
  /** Counts a request that begins no sign-in. `fault`: what is wrong with its times, which anyone may have written. */
  refused: (reason: 'too_many' | 'replayed' | 'refused', fault?: string) => void
  /** Keeps the refusal for whoever sets the application up. */
  noteRefusal: (refusal: Refusal) => Promise<void>
  draw: (failure: Failure) => Promise<Drawn>
  warn: (error: unknown) => void
  /** The sign-in that is over: its request, with what it is answered. */
  over?: { sessionId: string; isOfUpstream: boolean; interaction: object }
  /** Why the request was refused, as far as that is how its application is set up. */
  refusal?: Refusal
  mark?: Buffer
  aheadMs?: number | undefined
  destination?: string
  /** The code or token that was read: its grant is made from it. */
  granted?: AdapterPayload
}

const calls = new WeakMap<IncomingMessage, ProviderCall>()

export const beginCall = (request: IncomingMessage, call: ProviderCall) => calls.set(request, call)

/** What the request that is being served has brought. `context`: where the library does not know it yet, or any more. */
export function currentCall(context: { req: IncomingMessage } | undefined = Provider.ctx): ProviderCall {
  const call = context && calls.get(context.req)
  if (!call) throw new Error('The provider was asked outside of a route of ours')
  return call
}

/** Ends a request with a page of ours: nothing is told to the caller, and what the sign-in was is kept. */
export class NotAnswered extends errors.OIDCProviderError {
  readonly failure: Failure
  override allow_redirect = false
  constructor(failure: Exclude<Failure, object>, cause?: unknown) {
    super(failure === 'too_many' ? 429 : failure === 'unavailable' ? 503 : 410, failure)
    this.failure = failure
    this.cause = cause
  }
}

/** Work on the database within the provider, whose own answer to a failure would be an error page without a way back. */
export async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof errors.OIDCProviderError ? error : new NotAnswered('unavailable', error)
  }
}
