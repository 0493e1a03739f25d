import { setTimeout as pause } from 'node:timers/promises'
import { relyingParty } from '@muster/agent/simulate/sign-ins/relying-party.ts'
import type { SignInSetup } from '@muster/agent/simulate/sign-ins/sign-in-setup.ts'
import { signInSteps } from '@muster/agent/simulate/sign-ins/sign-in-steps.ts'
import type { Page } from 'playwright-core'
import { Agent, request } from 'undici'
import { loadConfig } from '../../src/base/config/load-config.ts'
import { holdPages } from '../browser/hold-pages.ts'
import { type OpenBrowser, openBrowser } from '../browser/open-browser.ts'
import { type LaptopAgent, type RunningLaptop, runLaptop } from '../browser/run-laptop.ts'
import { type Application, serveApplication } from '../browser/serve-application.ts'
import type { Bench, Figure, Finding } from '../figure.ts'
import { latenciesOf } from '../load/percentiles.ts'
import { openTrial } from '../trial/open-trial.ts'
import { ownPort } from '../trial/own-port.ts'
import { addConnections, addOwnerSecret, addRefreshKey, prepareSignIns } from '../trial/prepare-sign-ins.ts'
import { startProcess } from '../trial/start-process.ts'
import { watchConnections } from '../trial/watch-connections.ts'

const targets = { p50Ms: 300, p95Ms: 600, recheckP95Ms: 3_000 }
/** Nobody may come to one application again and again. */
const perConnection = 3
const warmUps = 3
const deadlineMs = 60_000
/** Pages of other people that wait meanwhile. */
const waitingPages = 40

export const browserSignIns: Figure = { number: '19', title: 'Sign-ins in a browser', run }

async function run(bench: Bench): Promise<Finding[]> {
  const { scale, say, engine } = bench
  const counts = { signIns: 8 * scale.rounds, rechecks: 10 * scale.rounds }
  const trial = await openTrial(engine, 'browser')
  const application = await serveApplication()
  try {
    await trial.ready()
    const own = await ownPort()
    const env = { ...trial.env, ...own, MUSTER_TRUST_PROXY: 'loopback' }
    const file = await prepareSignIns(env, 2)
    const [owner = '', other = ''] = file.setup.people
    const connections = Math.ceil((2 * warmUps + counts.signIns + 2 * counts.rechecks) / perConnection)
    const setups = await addConnections(env, file.setup, connections, application.callback)
    const enrollSecret = await addOwnerSecret(env, owner)
    const apiKey = await addRefreshKey(env)
    const ours = await startProcess(new URL('../serve.ts', import.meta.url), env)
    const browser = await openBrowser(own.MUSTER_BASE_URL)
    try {
      if (!browser) {
        say('no Chromium is installed')
        return []
      }
      say(`Chromium ${browser.version}`)
      const stage = await openStage({ origin: own.MUSTER_BASE_URL, setups, owner, application, browser, apiKey })
      const held = await holdPages(file.setup, other, waitingPages)
      const watched = await watchConnections(trial.databaseUrl)
      const warm: number[] = []
      const fixes = {} as Record<LaptopAgent, number[]>
      for (const agent of ['bundled', 'beside osqueryd'] as const) {
        const laptop = await runLaptop(own.MUSTER_BASE_URL, enrollSecret, agent)
        try {
          const signIns = agent === 'bundled' ? counts.signIns : 0
          const asked = { ...counts, signIns, say: (line: string) => say(`${agent}: ${line}`) }
          const measured = await measure(stage, laptop, asked)
          warm.push(...measured.times)
          fixes[agent] = measured.fixes
        } finally {
          await laptop.stop()
        }
      }
      const sessions = await watched?.stop()
      const answered = held.answered()
      await held.stop()
      const pool = loadConfig(env).databasePoolSize
      return findingsOf({ warm, fixes, answered, sessions: sessions && { ...sessions, pool } })
    } finally {
      await browser?.close()
      await ours.stop()
    }
  } finally {
    await application.close()
    await trial.remove()
  }
}

type Parts = {
  origin: string
  setups: readonly SignInSetup[]
  owner: string
  application: Application
  browser: OpenBrowser
  apiKey: string
}

type Stage = Awaited<ReturnType<typeof openStage>>

async function openStage({ origin, setups, owner, application, browser, apiKey }: Parts) {
  const page = await browser.context.newPage()
  const parts = { dispatcher: new Agent(), steps: signInSteps() }
  const parties = await Promise.all(setups.map((setup) => relyingParty(setup, parts)))
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
    if (!party) throw new Error('There is no application')
    begun += 1
    const attempt = await party.begin(owner)
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

  const checkId = idOf((await ask('/checks?query=slug:simulated-laptop-blocked')).data)
  const deviceOf = (serial: string) =>
    soon(async () => (await ask('/devices')).data?.find((device) => device.serial === serial)?.id)

  /** Has the check fail or pass from now on, and waits until the server knows it. */
  async function turn(laptop: RunningLaptop, isBroken: boolean): Promise<void> {
    const deviceId = await deviceOf(laptop.serial)
    await laptop.setBroken(isBroken)
    await ask(`/devices/${deviceId}/check_refreshes`, { check_id: checkId })
    await soon(async () => ((await ask(`/devices/${deviceId}`)).auth_state === 'Blocked') === isBroken || undefined)
  }

  return { page, begin, turn }
}

type Named = { id: string; auth_state?: string; serial?: string | null }

function idOf(list: readonly Named[] | undefined): string {
  const [first] = list ?? []
  if (!first) throw new Error('The server has none')
  return first.id
}

async function soon<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (const endsAt = performance.now() + deadlineMs; performance.now() < endsAt; await pause(100)) {
    const found = await look()
    if (found !== undefined) return found
  }
  throw new Error('The server does not get there')
}

async function within<T>(work: Promise<T>): Promise<T> {
  const timer = new AbortController()
  const late = pause(deadlineMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error('No callback arrived')
  })
  late.catch(() => {})
  return Promise.race([work, late]).finally(() => timer.abort())
}

type Measured = { signIns: number; rechecks: number; say: Bench['say'] }

async function measure({ begin, turn, page }: Stage, laptop: RunningLaptop, { signIns, rechecks, say }: Measured) {
  say('warming up')
  await turn(laptop, true)
  const first = await begin()
  await fixAndPress(page, laptop)
  await first.back
  for (let number = 1; number < warmUps; number += 1) await (await begin()).back
  if (signIns > 0) say(`${signIns} sign-ins`)
  const times: number[] = []
  for (let number = 0; number < signIns; number += 1) {
    const { startedAt, back } = await begin()
    times.push((await back).atMs - startedAt)
  }
  say(`${rechecks} rechecks`)
  const fixes: number[] = []
  for (let number = 0; number < rechecks; number += 1) {
    await turn(laptop, true)
    const { back } = await begin()
    const pressedAt = await fixAndPress(page, laptop)
    fixes.push((await back).atMs - pressedAt)
  }
  return { times, fixes }
}

/** Once the page says that the laptop is blocked: the person fixes it and presses "Check again". */
async function fixAndPress(page: Page, laptop: RunningLaptop): Promise<number> {
  const button = page.getByRole('button', { name: 'Check again', disabled: false })
  await button.waitFor({ timeout: deadlineMs })
  await laptop.setBroken(false)
  const pressedAt = performance.now()
  await button.click()
  return pressedAt
}

const common = { figure: '19', limit: '', ratio: '' }
const ms = (value: number) => `${value.toFixed(0)} ms`

type Found = {
  warm: readonly number[]
  fixes: Readonly<Record<LaptopAgent, readonly number[]>>
  /** Requests of pages that were held. */
  answered: number
  sessions: { open: number; busy: number; pool: number } | undefined
}

function findingsOf({ warm: times, fixes, answered, sessions }: Found): Finding[] {
  const warm = latenciesOf(times)
  return [
    {
      ...common,
      what: 'from the request of the application to its callback, in Chromium with the permission granted',
      ours: `p50 ${ms(warm.p50Ms)}, p95 ${ms(warm.p95Ms)}`,
      target: `p50 ≤ ${targets.p50Ms} ms, p95 ≤ ${targets.p95Ms} ms`,
      isMet: warm.p50Ms <= targets.p50Ms && warm.p95Ms <= targets.p95Ms,
      notes: [`${warm.count} sign-ins, the slowest ${ms(warm.maxMs)}`],
    },
    ofRechecks('in the bundled agent', fixes.bundled),
    ofRechecks('by a stand-in for `osqueryi`, beside an osquery node', fixes['beside osqueryd']),
    ...(sessions ? [ofConnections(sessions, answered)] : []),
  ]
}

function ofRechecks(where: string, times: readonly number[]): Finding {
  const fixed = latenciesOf(times)
  return {
    ...common,
    what: `from “Check again” to the callback; the check runs ${where}`,
    ours: `p50 ${ms(fixed.p50Ms)}, p95 ${ms(fixed.p95Ms)}`,
    target: `p95 ≤ ${targets.recheckP95Ms} ms`,
    isMet: fixed.p95Ms <= targets.recheckP95Ms,
    notes: [`${fixed.count} rechecks while ${waitingPages} other pages wait, the slowest ${ms(fixed.maxMs)}`],
  }
}

function ofConnections({ open, busy, pool }: NonNullable<Found['sessions']>, answered: number): Finding {
  return {
    ...common,
    what: `most connections of the database while ${waitingPages} pages wait, looked at ten times a second`,
    ours: `${open}, ${busy} of them at work`,
    target: `≤ ${pool + 1}, the pool and its listener`,
    isMet: open <= pool + 1,
    notes: [`${answered} requests of these pages were held and answered`],
  }
}
