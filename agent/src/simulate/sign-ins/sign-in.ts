import { setTimeout as pause } from 'node:timers/promises'
import type { Laptop } from './laptop.ts'
import type { RelyingParty } from './relying-party.ts'
import { type BrowserParts, webBrowser } from './web-browser.ts'

/** A page waits 8 seconds for checks. */
const [maxRounds, roundMs] = [40, 250]

/** What the person at the laptop does. */
export type Intent = 'sign_in' | 'cancel' | 'without_agent'

export const outcomes = {
  passed: 'got in',
  warned: 'got in, will be blocked',
  registered: 'got in, first device registered',
  blocked: 'blocked',
  not_your_device: 'not their device',
  agent_not_found: 'no agent found',
  cancelled: 'cancelled',
  ask_it: 'IT has to approve the device',
  unfinished: 'checks without a result',
  keeps_asking: 'stopped, came too often',
} as const

export type Outcome = keyof typeof outcomes

export type SignInPlan = { email: string; laptop: Laptop; intent: Intent; from?: string | undefined }

export type SignInParts = { party: RelyingParty; browser: Omit<BrowserParts, 'from'> }

/** One sign-in, as a browser, an application and the agent of a laptop have it. Rejects when it is not as it should be. */
export async function signIn({ party, browser: parts }: SignInParts, plan: SignInPlan): Promise<Outcome> {
  const browser = webBrowser({ ...parts, from: plan.from })
  const attempt = await party.begin(plan.email)
  const arrived = await browser.follow(attempt.path)
  if ('away' in arrived) throw new Error(`refused: ${arrived.away.searchParams.get('error')}`)
  const { path: page, answer } = arrived
  if (answer.status !== 200 || !/^\/signin\/[0-9a-f]{24}$/.test(page)) throw new Error(`no page: ${answer.status}`)
  if (plan.intent === 'without_agent') {
    await postOrFail(browser, `${page}/undetected`, { reason: 'agent_not_found' })
    return 'agent_not_found'
  }
  const proved = await prove()
  if (plan.intent === 'cancel') return cancel()
  const first = await readJudged(proved)
  if (first.state === 'register') await postOrFail(browser, `${page}/register`)
  if (first.state === 'blocked') await recheck()
  const region = ['register', 'blocked'].includes(first.state) ? await readJudged() : first
  if (region.finish === undefined) return outcomeOfRefusal(region.state)
  await enter(region.finish)
  if (first.state === 'register') return 'registered'
  return region.state === 'warning' ? 'warned' : 'passed'

  /** What the page shows then. */
  async function prove(): Promise<Region> {
    const { challenge } = JSON.parse(await postOrFail(browser, `${page}/challenge`)) as { challenge: string }
    const proof = await plan.laptop.prove(challenge)
    if (proof === undefined) throw new Error('the agent refused the challenge')
    return regionOf((JSON.parse(await postOrFail(browser, `${page}/proof`, { proof })) as { region: string }).region)
  }

  async function readRegion(): Promise<Region> {
    return regionOf((await browser.get(`${page}/region`)).text)
  }

  /** Once the checks that are due have run, which the laptop answers over its channel. */
  async function readJudged(shown?: Region) {
    let region = shown ?? (await readRegion())
    for (let round = 0; region.state === 'evaluating' && round < maxRounds; round += 1) {
      await plan.laptop.answerChannel()
      await pause(roundMs)
      region = await readRegion()
    }
    return region
  }

  async function recheck(): Promise<void> {
    await postOrFail(browser, `${page}/recheck`)
    await plan.laptop.answerChannel()
  }

  async function cancel(): Promise<Outcome> {
    const { location } = await browser.post(`${page}/cancel`)
    const left = location === undefined ? undefined : await browser.follow(location)
    const error = left && 'away' in left ? left.away.searchParams.get('error') : undefined
    if (error !== 'access_denied') throw new Error(`cancelled, but the application heard ${error}`)
    return 'cancelled'
  }

  async function enter(finish: string): Promise<void> {
    const left = await browser.follow(finish)
    if (!('away' in left)) throw new Error(`no callback: ${left.answer.status} at ${left.path.split('?')[0]}`)
    const { amr } = await party.redeem(left.away, attempt)
    if (!Array.isArray(amr) || !amr.includes('pop')) throw new Error('the ID token says nothing of a proof')
  }
}

type Region = { state: string; finish: string | undefined }

function regionOf(text: string): Region {
  const finish = /(?:data-finish|data-ready|href)="([^"]*\/auth\/[^"]+)"/.exec(text)?.[1]?.replaceAll('&#47;', '/')
  return { state: /data-state="(\w+)"/.exec(text)?.[1] ?? 'unknown', finish }
}

type Browser = ReturnType<typeof webBrowser>

async function postOrFail(browser: Browser, path: string, body: object = {}): Promise<string> {
  const { status, text } = await browser.post(path, body)
  if (status !== 200) throw new Error(`${path.split('/').at(-1)} answered ${status}`)
  return text
}

const refusals = ['blocked', 'not_your_device', 'ask_it', 'unfinished', 'keeps_asking'] as const
const isRefusal = (state: string): state is (typeof refusals)[number] => refusals.some((one) => one === state)

function outcomeOfRefusal(state: string): Outcome {
  if (isRefusal(state)) return state
  if (state === 'awaiting_approval') return 'ask_it'
  throw new Error(`the page says ${state}`)
}
