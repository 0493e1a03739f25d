import { setTimeout as pause } from 'node:timers/promises'
import { relyingParty } from '@muster/agent/simulate/sign-ins/relying-party.ts'
import type { SignInSetup } from '@muster/agent/simulate/sign-ins/sign-in-setup.ts'
import { signInSteps } from '@muster/agent/simulate/sign-ins/sign-in-steps.ts'
import { webBrowser } from '@muster/agent/simulate/sign-ins/web-browser.ts'
import { Agent } from 'undici'

export type HeldPages = {
  /** Requests that waited to their end, or until there was news. */
  answered: () => number
  stop: () => Promise<void>
}

/** Pages of sign-ins whose people have no device here: each waits for news, again and again. Rejects when one cannot. */
export async function holdPages(setup: SignInSetup, email: string, pages: number): Promise<HeldPages> {
  const { origin } = new URL(setup.issuer)
  const dispatcher = new Agent()
  const steps = signInSteps()
  const party = await relyingParty(setup, { dispatcher, steps })
  let [isOver, answered] = [false, 0]

  async function hold(number: number): Promise<void> {
    const browser = webBrowser({
      dispatcher,
      origin,
      steps,
      from: `10.8.0.${number}`,
      userAgent: 'Mozilla/5.0 (bench)',
    })
    const arrived = await browser.follow((await party.begin(email)).path)
    if ('away' in arrived) throw new Error(`A page leads to ${arrived.away.origin}`)
    for (let mark = ''; !isOver; answered += 1) {
      const { status, text } = await browser.get(`${arrived.path}/news?seen=${mark}`)
      if (isOver) return
      if (status !== 200) throw new Error(`A page that waits is answered ${status}`)
      mark = (JSON.parse(text) as { mark: string }).mark
    }
  }

  const waiting = Promise.all(Array.from({ length: pages }, (_, number) => hold(number + 1)))
  waiting.catch(() => {})
  // Each has its first answer at once, and waits from then on.
  while (answered < pages) await Promise.race([pause(50), waiting])
  return {
    answered: () => answered,
    async stop() {
      isOver = true
      await dispatcher.destroy()
      await waiting.catch(() => {})
    },
  }
}
