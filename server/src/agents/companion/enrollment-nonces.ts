import type { Clock } from '../../base/clock.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { isGoodNow, minuteMs } from '../../base/time.ts'

const lifeMs = minuteMs

/** Nonces of keys that no row holds one of: each says when it was given out, and any process knows it for its own. */
export function enrollmentNonces(secrets: Secrets, clock: Clock) {
  const purpose = 'companion enrollment nonce'

  return {
    give(kid: string): string {
      const time = Date.parse(clock()).toString(36)
      return `${time}.${secrets.sign(purpose, `${time}/${kid}`).toString('base64url')}`
    },

    /** When the nonce was given to this key; undefined for one that is older than a minute or not ours. */
    givenAt(kid: string, nonce: unknown): string | undefined {
      const [time = '', mac = ''] = typeof nonce === 'string' ? nonce.split('.') : []
      if (!secrets.verify(purpose, `${time}/${kid}`, Buffer.from(mac, 'base64url'))) return undefined
      const givenAtMs = Number.parseInt(time, 36)
      const isFresh = isGoodNow(givenAtMs + lifeMs, lifeMs, Date.parse(clock()))
      return isFresh ? new Date(givenAtMs).toISOString() : undefined
    },
  }
}
