import { createHmac } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import type { Hook } from '../../support/hook-receivers.ts'
import type { MusterProcess } from '../../support/muster-process.ts'
import type { Seeded } from './seeded.ts'

type Parts = {
  chance: Seeded
  /** The processes that answer now, as far as anyone knows. */
  servers: () => readonly MusterProcess[]
  key: string
}

/** Changes an endpoint time and again and rolls its secret once, through whichever process answers. */
export function openHookOperator(endpointId: string, firstSecret: string, { chance, servers, key }: Parts) {
  const path = `/webhook_endpoints/${endpointId}`
  const counts = { changes: 0, rolls: 0, early: 0 }
  const first = new Webhook(firstSecret)
  let verifier = first

  async function ask(method: 'PATCH' | 'POST', at: string, body: object): Promise<Record<string, string> | undefined> {
    const alive = servers()
    if (alive.length === 0) return undefined
    const answer = await chance
      .pick(alive)
      .ask(method, at, { key, body })
      .catch(() => undefined)
    return answer?.status === 200 ? answer.body : undefined
  }

  /** Until it is answered; asked again it changes something again. */
  async function change(): Promise<void> {
    for (let asked = 0; ; asked += 1) {
      if (await ask('PATCH', path, { description: `Change ${counts.changes}, asked ${asked} times before` })) break
      await pause(250)
    }
    counts.changes += 1
  }

  /** Whether a roll whose answer was cut took place, nobody knows: the secret is read in any case. */
  async function roll(): Promise<void> {
    for (;;) {
      await ask('POST', `${path}/roll_secret`, {})
      const { secret = firstSecret } = (await ask('POST', `${path}/reveal_secret`, {})) ?? {}
      if (secret !== firstSecret) {
        verifier = new Webhook(secret)
        counts.rolls += 1
        return
      }
      await pause(250)
    }
  }

  return {
    counts,
    change,
    async run(isOver: () => boolean): Promise<void> {
      const rollsAfter = chance.between(0, 1)
      for (let round = 0; ; round += 1) {
        await pause(chance.between(3_000, 20_000))
        if (isOver()) return
        if (round === rollsAfter) await roll()
        else await change()
      }
    },
    /** Whether its receiver, which knows one secret at a time, and the latest, finds it signed; and what is wrong with it. */
    judge(hook: Hook): { isVerified: boolean; fault: string | undefined } {
      const { body, headers } = hook
      // It stays with the first secret for as long as that signs, which is a day.
      const isAuthorized = headers.authorization === createHmac('sha256', firstSecret).update(body).digest('hex')
      const isVerified = verifies(verifier, hook)
      // A worker that has lost the database hears of another secret seconds later.
      if (!isVerified) counts.early += 1
      const isSigned = isVerified || verifies(first, hook)
      return { isVerified, fault: isAuthorized && isSigned ? undefined : 'is not signed' }
    },
  }
}

function verifies(secret: Webhook, { body, headers }: Hook): boolean {
  try {
    secret.verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}
