import { createHmac, timingSafeEqual } from 'node:crypto'
import { secretPrefix } from '../../signals/webhooks/endpoint-secret.ts'

export type Received = {
  /** As they are shown, each: any of them may have signed. */
  secrets: readonly string[]
  body: Uint8Array
  id: string | undefined
  timestamp: string | undefined
  signature: string | undefined
  authorization: string | undefined
  /** How far from now it may have been signed; null: however long ago. */
  toleranceSeconds: number | null
  nowSeconds: number
}

/** What is wrong with a request to an endpoint, and what is right, each a sentence; it is valid when nothing is wrong. */
export function verifyDelivery(received: Received): { faults: string[]; facts: string[] } {
  const { secrets, signature, authorization } = received
  const odd = secrets.filter((secret) => !secretShape.test(secret))
  if (secrets.length === 0) return { faults: ['There is no secret.'], facts: [] }
  if (odd.length > 0) return { faults: ['The secret has to be `whsec_` and base64, as it is shown.'], facts: [] }
  if (signature === undefined && authorization === undefined) {
    return { faults: ['There is neither a webhook-signature nor an Authorization.'], facts: [] }
  }
  const checks = [
    ...(signature === undefined ? [] : [checkTime(received), checkSignature(received, signature)]),
    ...(authorization === undefined ? [] : [checkAuthorization(received, authorization)]),
  ]
  return {
    faults: checks.flatMap((check) => check.fault ?? []),
    facts: checks.flatMap((check) => check.fact ?? []),
  }
}

type Check = { fault?: string; fact?: string }

const secretShape = /^whsec_[A-Za-z0-9+/]{22,}={0,2}$/

function checkTime({ timestamp, toleranceSeconds, nowSeconds }: Received): Check {
  if (timestamp === undefined) return { fault: 'There is no webhook-timestamp.' }
  if (!/^\d{1,12}$/.test(timestamp)) return { fault: 'The webhook-timestamp is no whole number of seconds since 1970.' }
  const age = nowSeconds - Number(timestamp)
  const when = `${Math.abs(age)} ${Math.abs(age) === 1 ? 'second' : 'seconds'} ${age < 0 ? 'from now' : 'ago'}`
  if (toleranceSeconds === null || Math.abs(age) <= toleranceSeconds) return { fact: `It was signed ${when}.` }
  return {
    fault: `It was signed ${when}, which is more than ${toleranceSeconds}: it may be a replay, or a clock is wrong.`,
  }
}

function checkSignature({ secrets, body, id, timestamp = '' }: Received, signature: string): Check {
  if (id === undefined) return { fault: 'There is no webhook-id.' }
  const given = signature.split(' ').flatMap((one) => (one.startsWith('v1,') ? [one.slice(3)] : []))
  if (given.length === 0) return { fault: 'The webhook-signature has no part that begins with `v1,`.' }
  const signerOf = (bytes: Uint8Array) =>
    secrets.findIndex((secret) => {
      const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
      const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(bytes).digest()
      return given.some((one) => isSame(mac, Buffer.from(one, 'base64')))
    })
  const signer = signerOf(body)
  if (signer !== -1) return { fact: `The webhook-signature is right${bySecret(signer, secrets)}.` }
  if (signerOf(withoutLineEnd(body)) !== -1) return { fault: trailing }
  return {
    fault: 'The webhook-signature is wrong: the secret, the id, the timestamp or a byte of the body is another.',
  }
}

function checkAuthorization({ secrets, body }: Received, authorization: string): Check {
  if (!/^[0-9a-f]{64}$/.test(authorization)) return { fault: 'The Authorization is not 64 hexadecimal digits.' }
  const signerOf = (bytes: Uint8Array) =>
    secrets.findIndex((secret) =>
      isSame(createHmac('sha256', secret).update(bytes).digest(), Buffer.from(authorization, 'hex')),
    )
  const signer = signerOf(body)
  if (signer !== -1) return { fact: `The Authorization is right${bySecret(signer, secrets)}.` }
  if (signerOf(withoutLineEnd(body)) !== -1) return { fault: trailing }
  return {
    fault:
      'The Authorization is wrong: the secret or a byte of the body is another. After a roll it stays with the previous secret until the overlap ends.',
  }
}

const trailing =
  'The body ends in a line break that was not sent: an editor or a shell has added it to the file. Without it, it is right.'

const withoutLineEnd = (body: Uint8Array): Buffer =>
  Buffer.from(body.subarray(0, body.at(-1) === 0x0a ? -1 : undefined))

const bySecret = (signer: number, secrets: readonly string[]): string =>
  secrets.length === 1 ? '' : `, by secret ${signer + 1} of ${secrets.length}`

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other)
