import { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/transact.ts'
import { transact } from '../../base/db/transact.ts'
import { unstorableTexts } from '../../base/storable.ts'
import { claimNames } from './claims-rules.ts'
import { currentCall, NotAnswered, orUnavailable } from './provider-call.ts'
import { consumeCode, findRecord, insertCode, insertToken, lifeSeconds, revokeGrant } from './records.ts'
import { ReplayedRequest } from './refusals.ts'

type Place = { db: Db; clock: Clock; organizationId: string }

/** A request is kept with its sign-in, which is a row of bounded size: what it asks for, and not its signature. */
const maxRequestCharacters = 8_192

/**
 * What the provider keeps, by kind. A request is kept with its sign-in, and a code is the answer of one; a grant is read out of
 * its code or token. There is no session: each request is a sign-in of its own.
 */
export function providerAdapter(place: Place, kind: string): Adapter {
  switch (kind) {
    case 'Interaction':
      return {
        ...nothingKept,
        upsert: beginSignIn,
        find: async () => currentCall().over?.interaction as AdapterPayload | undefined,
      }
    case 'AuthorizationCode':
      return codes(place)
    case 'AccessToken':
      return accessTokens(place)
    case 'Grant':
      return { ...nothingKept, find: async (id) => grantOf(currentCall().granted, id) }
    default:
      return nothingKept
  }
}

const nothingKept: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
}

/** Only a request whose signature is good comes so far. */
async function beginSignIn(uid: string, payload: AdapterPayload): Promise<void> {
  const call = currentCall()
  const { params = {}, trusted: signed = [] } = payload as { params?: Record<string, unknown>; trusted?: string[] }
  if (unstorableTexts(payload).length > 0) throw new errors.InvalidRequest('the request holds NUL')
  if (JSON.stringify(payload).length > maxRequestCharacters) {
    throw new errors.InvalidRequest(`the request is longer than ${maxRequestCharacters} characters`)
  }
  const clientId = String(params['client_id'])
  const { mark, aheadMs } = signed.length > 0 ? call : {}
  const request = { uid, clientId, params, signed, mark, aheadMs, payload }
  const begun = await orUnavailable(() => call.begin(request))
  if (begun === 'nobody') throw new errors.InvalidRequestObject('login_hint has to be in the signed request')
  if (begun === 'too_many' || begun === 'replayed') call.refused(begun)
  if (begun === 'too_many') throw new NotAnswered('too_many')
  if (begun === 'replayed') throw new ReplayedRequest('the request object was used before')
  call.setCookie(begun.cookie)
  call.destination = begun.destination
}

function codes({ db, clock, organizationId }: Place): Adapter {
  return {
    ...nothingKept,
    async upsert(id, payload, expiresIn) {
      const { answer } = currentCall()
      const outcome = await orUnavailable(() =>
        transact(db, async (tx) => {
          const claims = await answer(tx, String(payload.grantId))
          if (typeof claims === 'string') return claims
          // What is true in this transaction, whatever was read before it.
          const { acr, amr } = claims
          const code = {
            id,
            payload: { ...payload, acr, amr, outcome: claims },
            expiresIn: expiresIn ?? lifeSeconds.AuthorizationCode,
          }
          await insertCode(tx, organizationId, code, clock())
          return undefined
        }),
      )
      if (outcome !== undefined) throw new NotAnswered(outcome)
    },
    find: (id) => findGranted({ db, clock, organizationId }, 'AuthorizationCode', id),
    async consume(id) {
      if (await orUnavailable(() => consumeCode(db, organizationId, id, clock()))) return
      // The library revokes what was used when it was found, and not what another use of the same moment takes.
      const { grantId } = currentCall().granted ?? {}
      if (grantId !== undefined) await orUnavailable(() => revokeGrant(db, organizationId, grantId))
      throw new errors.InvalidGrant('the code was used before, has expired, or its person has left')
    },
    revokeByGrantId: (grantId) => orUnavailable(() => revokeGrant(db, organizationId, grantId)),
  }
}

function accessTokens({ db, clock, organizationId }: Place): Adapter {
  const kind = 'AccessToken'
  return {
    ...nothingKept,
    async upsert(id, payload, expiresIn) {
      // What its code has said, for the userinfo endpoint.
      const outcome = currentCall().granted?.['outcome']
      const token = { id, payload: { ...payload, outcome }, expiresIn: expiresIn ?? lifeSeconds.AccessToken }
      if (await orUnavailable(() => insertToken(db, organizationId, token, clock()))) return
      throw new errors.InvalidGrant('the code was used more than once')
    },
    find: (id) => findGranted({ db, clock, organizationId }, kind, id),
    revokeByGrantId: (grantId) => orUnavailable(() => revokeGrant(db, organizationId, grantId)),
  }
}

async function findGranted(
  { db, clock, organizationId }: Place,
  kind: 'AuthorizationCode' | 'AccessToken',
  id: string,
) {
  const found = await orUnavailable(() => findRecord(db, organizationId, { kind, id }, clock()))
  if (found) currentCall().granted = found
  return found
}

function grantOf(granted: AdapterPayload | undefined, id: string): AdapterPayload | undefined {
  if (granted?.grantId !== id) return undefined
  const { iat, exp, accountId, clientId, scope } = granted
  // What there is to say was decided when the code was written: a request may ask for any of it by name.
  const openid = { scope, claims: claimNames }
  return { jti: id, kind: 'Grant', iat, exp, accountId, clientId, openid } as AdapterPayload
}
