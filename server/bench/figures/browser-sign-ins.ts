import { setTimeout as pause } from 'node:timers/promises'
import { relyingParty } from '@muster/agent/simulate/sign-ins/relying-party.ts'
import { openSignIns } from '@muster/agent/simulate/sign-ins/run-sign-ins.ts'
import type { SignInSetup } from '@muster/agent/simulate/sign-ins/sign-in-setup.ts'
import { signInSteps } from '@muster/agent/simulate/sign-ins/sign-in-steps.ts'
import type { Page } from 'playwright-core'
import { Agent, request } from 'undici'
import { type OpenBrowser, openBrowser } from '../browser/open-browser.ts'
import { type RunningLaptop, runLaptop } from '../browser/run-laptop.ts'
import { type Application, serveApplication } from '../browser/serve-application.ts'
import type { Bench, Figure, Finding } from '../figure.ts'
import { latenciesOf } from '../load/percentiles.ts'
import { openTrial } from '../trial/open-trial.ts'
import { ownPort } from '../trial/own-port.ts'
import { addConnections, addRefreshKey, prepareSignIns } from '../trial/prepare-sign-ins.ts'
import { startProcess } from '../trial/start-process.ts'

const targets = { p50Ms: 300, p95Ms: 600, recheckP95Ms: 3_000 }
/** Nobody may come to one application again and again. */
const perConnection = 3
const warmUps = 3
/** Of the first four people, the one whose laptop a check blocks. */
const [people, blocked] = [4, 3]
const deadlineMs = 60_000

export const browserSignIns: Figure = { number: '19', title: 'Sign-ins in a browser', run }

async function run(bench: Bench): Promise<Finding[]> {
  const { scale, say, engine } = bench
  const [signIns, rechecks] = [8 * scale.rounds, 3 * scale.rounds]
  const trial = await openTrial(engine, 'browser')
  const application = await serveApplication()
  try {
    await trial.ready()
    const own = await ownPort()
    const env = { ...trial.env, ...own, MUSTER_TRUST_PROXY: 'loopback' }
    const file = await prepareSignIns(env, people)
    const connections = Math.ceil((warmUps + signIns + rechecks) / perConnection)
    const setups = await addConnections(env, file.setup, connections, application.callback)
    const apiKey = await addRefreshKey(env)
    const ours = await startProcess(new URL('../serve.ts', import.meta.url), env)
    const browser = await openBrowser(own.MUSTER_BASE_URL)
    try {
      if (!browser) {
        say('no Chromium is installed')
        return []
      }
      const laptop = await openRegistered(file, own.MUSTER_BASE_URL, say)
      try {
        const stage = await openStage({ origin: own.MUSTER_BASE_URL, setups, application, browser, laptop, apiKey })
        return await measure(stage, { signIns, rechecks }, say)
      } finally {
        await laptop.stop()
      }
    } finally {
      await browser?.close()
      await ours.stop()
    }
  } finally {
    await application.close()
    await trial.remove()
  }
}

/** The laptop of the person who signs in: enrolled, registered on the page, and with its companion running. */
async function openRegistered(
  file: Awaited<ReturnType<typeof prepareSignIns>>,
  server: string,
  log: Bench['say'],
): Promise<RunningLaptop> {
  const { signal } = new AbortController()
  const opened = await openSignIns({ ...file, count: 1, concurrency: 1, seed: 1, signal, log })
  try {
    const member = opened.members[blocked]
    const memory = opened.memories[blocked]
    if (!member || !memory) throw new Error('There is nobody to sign in')
    await opened.run({ plan: () => ({ ...member, intent: 'sign_in', from: '10.9.9.9' }) })
    return await runLaptop(server, file.setup.enrollSecret, memory)
  } finally {
    await opened.close()
  }
}

type Parts = {
  origin: string
  setups: readonly SignInSetup[]
  application: Application
  browser: OpenBrowser
  laptop: RunningLaptop
  apiKey: string
}

type Stage = Awaited<ReturnType<typeof openStage>>

async function openStage({ origin, setups, application, browser, laptop, apiKey }: Parts) {
  const page = await browser.context.newPage()
  const parts = { dispatcher: new Agent(), steps: signInSteps() }
  const parties = await Promise.all(setups.map((setup) => relyingParty(setup, parts)))
  const checkId = idOf((await ask('/checks?query=slug:simulated-laptop-blocked')).data)
  const deviceId = idOf((await ask('/devices')).data?.filter(({ auth_state: state }) => state === 'Blocked'))
  let begun = 0

  async function ask(path: string, body?: object) {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const answer = await request(`${origin}${path}`, {
      headers,
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    const json = (await answer.body.json()) as { data?: Named[]; auth_state?: string }
    if (answer.statusCode >= 300) throw new Error(`${path} answered ${answer.statusCode}: ${JSON.stringify(json)}`)
    return json
  }

  /** Sends the browser from the application; resolves to when, and to the arrival at the callback. */
  async function begin() {
    const party = parties[Math.floor(begun / perConnection) % parties.length]
    const email = setups[0]?.people[blocked]
    if (!party || email === undefined) throw new Error('There is no application')
    begun += 1
    const attempt = await party.begin(email)
    const back = within(application.next())
    const startedAt = performance.now()
    await page.goto(`${origin}${attempt.path}`, { waitUntil: 'commit' })
    const end = async ({ url, atMs }: { url: URL; atMs: number }) => {
      await party.redeem(url, attempt)
      // Another navigation before this one has ended would fail.
      await page.waitForURL(({ pathname }) => pathname === '/callback')
      return { atMs }
    }
    return { startedAt, back: back.then(end) }
  }

  /** Has the check fail or pass from now on, and waits until the server knows it. */
  async function turn(isBroken: boolean): Promise<void> {
    laptop.setBroken(isBroken)
    await ask(`/devices/${deviceId}/check_refreshes`, { check_id: checkId })
    for (const endsAt = performance.now() + deadlineMs; performance.now() < endsAt; await pause(100)) {
      const { auth_state: state } = await ask(`/devices/${deviceId}`)
      if ((state === 'Blocked') === isBroken) return
    }
    throw new Error('The device did not turn')
  }

  return { page, begin, turn, laptop, version: browser.version }
}

type Named = { id: string; auth_state?: string }

function idOf(list: readonly Named[] | undefined): string {
  const [first] = list ?? []
  if (!first) throw new Error('The server has none')
  return first.id
}

async function within<T>(work: Promise<T>): Promise<T> {
  const timer = new AbortController()
  const late = pause(deadlineMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error('No callback arrived')
  })
  late.catch(() => {})
  return Promise.race([work, late]).finally(() => timer.abort())
}

async function measure(stage: Stage, counts: { signIns: number; rechecks: number }, say: Bench['say']) {
  const { begin, turn, laptop, page, version } = stage
  say(`Chromium ${version}: warming up`)
  const first = await begin()
  laptop.setBroken(false)
  await press(page)
  await first.back
  for (let number = 1; number < warmUps; number += 1) await (await begin()).back
  say(`${counts.signIns} sign-ins`)
  const times: number[] = []
  for (let number = 0; number < counts.signIns; number += 1) {
    const { startedAt, back } = await begin()
    times.push((await back).atMs - startedAt)
  }
  say(`${counts.rechecks} rechecks`)
  const fixes: number[] = []
  for (let number = 0; number < counts.rechecks; number += 1) {
    await turn(true)
    const { back } = await begin()
    laptop.setBroken(false)
    const pressedAt = await press(page)
    fixes.push((await back).atMs - pressedAt)
  }
  return findingsOf(times, fixes)
}

/** Presses "Check again" once the page says that the laptop is blocked. */
async function press(page: Page): Promise<number> {
  const button = page.getByRole('button', { name: 'Check again', disabled: false })
  await button.waitFor({ timeout: deadlineMs })
  const pressedAt = performance.now()
  await button.click()
  return pressedAt
}

function findingsOf(times: readonly number[], fixes: readonly number[]): Finding[] {
  const [warm, fixed] = [latenciesOf(times), latenciesOf(fixes)]
  const common = { figure: '19', limit: '', ratio: '' }
  const ms = (value: number) => `${value.toFixed(0)} ms`
  return [
    {
      ...common,
      what: 'from the request of the application to its callback, in Chromium with the permission granted',
      ours: `p50 ${ms(warm.p50Ms)}, p95 ${ms(warm.p95Ms)}`,
      target: `p50 ≤ ${targets.p50Ms} ms, p95 ≤ ${targets.p95Ms} ms`,
      isMet: warm.p50Ms <= targets.p50Ms && warm.p95Ms <= targets.p95Ms,
      notes: [`${warm.count} sign-ins, the slowest ${ms(warm.maxMs)}`],
    },
    {
      ...common,
      what: 'from “Check again” to the callback, over the channel of the companion',
      ours: `p50 ${ms(fixed.p50Ms)}, p95 ${ms(fixed.p95Ms)}`,
      target: `p95 ≤ ${targets.recheckP95Ms} ms`,
      isMet: fixed.p95Ms <= targets.recheckP95Ms,
      notes: [`${fixed.count} rechecks, the slowest ${ms(fixed.maxMs)}`],
    },
  ]
}
