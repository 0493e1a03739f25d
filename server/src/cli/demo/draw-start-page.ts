import { dayMs } from '../../base/time.ts'
import { type Html, html } from '../../http/page/html.ts'
import { demoCommands } from './demo-check.ts'
import type { DemoPerson } from './demo-people.ts'
import { drawDocument } from './draw-document.ts'
import type { PartyAnswer } from './open-site.ts'
import type { Standing } from './standings.ts'

export type StartView = {
  address: string
  /** What it is called. */
  machine: string
  /** Answers a browser of this machine. */
  probe: string
  /** Whether the browser is on another one, and reaches only this address. */
  isElsewhere: boolean
  people: readonly DemoPerson[]
  standings: ReadonlyMap<string, Standing>
  /** Why this machine has no agent. */
  fault: string | undefined
  /** Whether Cleo's laptop fails it now, by the check's slug. */
  isBroken: (slug: string) => boolean
  signInAddress: (slug: string) => string
  docsAddress: string
  now: string
}

/** The start page of the demo. */
export function drawStartPage(view: StartView): PartyAnswer {
  return drawDocument({
    ...{ party: 'Muster demo', title: 'Muster demo', hasMark: true, live: { asks: view.probe } },
    body: html`<h1 tabindex="-1">Sign in to Northwind Notes</h1>
<p class="lead">A made-up notes app that only opens on laptops in good shape. Pick a person.</p>
<div id="rows" data-probe="${view.probe}">${drawRows(view)}</div>
<section><h2>What happens</h2><ol class="steps">
<li><b>Demo sign-in</b> stands in for your company’s sign-in. It asks for no password.</li>
<li><b>Muster</b> checks the laptop: your own machine, or a made-up one. The pages are the real ones.</li>
<li><b>Northwind Notes</b> opens and shows what Muster told it.</li></ol></section>
<section><h2>Then look behind it</h2><ul class="options">
<li><div><h3>Admin console</h3><p>Devices, checks and the sign-in log, live.</p></div>
<form method="post" action="${`${view.address}/console`}" target="_blank"><button class="button">Open console</button></form></li>
<li id="own">${drawOwn(view)}</li>
<li id="repair">${drawRepair(view)}</li></ul></section>
<footer><span>Runs on ${view.machine} only</span> <a href="${view.docsAddress}">Set up the real thing</a></footer>`,
  })
}

/** The parts of the page that change, which its script asks for. */
export const drawLiveParts = (view: StartView): { rows: string; own: string; repair: string } => ({
  rows: drawRows(view).html,
  own: drawOwn(view).html,
  repair: drawRepair(view).html,
})

const drawOwn = ({ isElsewhere, machine }: StartView): Html =>
  html`<div><h3>Break and repair your machine</h3><p>In a terminal${isElsewhere && ` of ${machine}`}: <code>${demoCommands.toBreak}</code> fails a check of the demo, <code>${demoCommands.toFix}</code> passes it again. ${isElsewhere ? 'The first row shows it.' : 'Sign in, repair it, and watch the page continue.'}</p></div>`

function drawRepair({ address, isBroken }: StartView): Html {
  const toggle = (slug: string, what: string) => {
    const verb = isBroken(slug) ? 'on' : 'off'
    return html`<form method="post" action="${`${address}/laptop`}"><input type="hidden" name="check" value="${slug}">
    <button class="button" id="turn-${slug}">Turn ${what} ${verb}</button></form>`
  }
  return html`<div><h3>Break and repair a laptop</h3><p>Turn Cleo’s firewall off and on and watch the page change.</p></div>
<div class="buttons">${toggle('linux-firewall', 'the firewall')}${toggle('linux-unattended-upgrades', 'automatic updates')}</div>`
}

function drawRows(view: StartView): Html {
  const isReachable = (person: DemoPerson) => person.seat !== 'this machine' || !view.isElsewhere
  const first = view.people.find(isReachable)
  const rows = view.people.map((person) => {
    const { mark, tone, state, next } = rowOf(person, view)
    const isFirst = person === first
    const { name, kind, as } = describe(person, view)
    const button = html`<a class="button${isFirst && ' main'}" id="sign-in-${person.slug}" href="${view.signInAddress(person.slug)}" target="_blank" rel="noopener">Sign in<span class="hidden"> as ${as}</span></a>`
    return html`<li><div><b>${name}</b>${isFirst && html` <span class="tag">Start here</span>`}<p class="hint">${kind}</p></div>
<div><span class="state ${tone}">${drawMark(mark)}${state}</span><p class="hint">${isReachable(person) ? next : `Your browser is on another computer. It cannot reach the agent on ${view.machine}.`}</p></div>
${isReachable(person) && button}</li>`
  })
  return html`<ul class="people">${rows}</ul>`
}

function describe({ name, seat, kind }: DemoPerson, { isElsewhere, machine }: StartView) {
  if (seat !== 'this machine') {
    const [given = name] = name.split(' ')
    return { name: given, as: given, kind }
  }
  const place = isElsewhere ? machine : 'this machine'
  return { name: `You, on ${place}`, as: 'yourself', kind: 'The bundled agent reads it' }
}

type Row = { mark: MarkName; tone: string; state: string; next: string }

function rowOf(person: DemoPerson, { standings, fault, now }: StartView): Row {
  if (person.seat === null) return idle('dash', 'No answer', 'Nothing answers on this computer')
  if (person.owns === null) return idle('dash', 'Not theirs', '“Registered to someone else”')
  if (person.owns === 'this machine' && fault !== undefined) return idle('dash', 'No answer', fault)
  const standing = standings.get(person.owns)
  if (!standing) return idle('pending', 'Starting', 'Ready in a few seconds')
  if (!standing.isRegistered) return idle('pending', 'Not registered', '“Register this computer?”')
  return ofState(standing, now)
}

const idle = (mark: MarkName, state: string, next: string): Row => ({ mark, tone: 'idle', state, next })

function ofState({ state, issues, willBlockAt }: Standing, now: string): Row {
  if (state === 'good') return { mark: 'good', tone: 'good', state: 'Good', next: 'Opens in under a second' }
  if (state === 'notified') {
    return { mark: 'notified', tone: 'notified', state: 'Fix when you can', next: 'One click to continue' }
  }
  if (state === 'blocked') {
    const things = issues === 1 ? '1 thing' : `${issues} things`
    return { mark: 'blocked', tone: 'blocked', state: 'Blocked', next: `${things} to fix, live` }
  }
  const days = Math.floor((Date.parse(willBlockAt ?? now) - Date.parse(now)) / dayMs)
  const when = days < 1 ? 'Blocks today' : days === 1 ? 'Blocks in 1 day' : `Blocks in ${days} days`
  return { mark: 'will_block', tone: 'will', state: when, next: 'One click to continue' }
}

type MarkName = 'good' | 'notified' | 'will_block' | 'blocked' | 'pending' | 'dash'

const thin = html`fill="none" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"`

/** Of each state the shape that the console has for it. */
const shapes: Readonly<Record<MarkName, Html>> = {
  good: html`<circle cx="7" cy="7" r="6.5" fill="var(--good)"/><path d="M4.2 7.2l1.9 1.9 3.7-4" stroke="var(--bg)" ${thin}/>`,
  notified: html`<circle cx="7" cy="7" r="5.75" stroke="var(--notified)" ${thin}/><circle cx="7" cy="7" r="2.25" fill="var(--notified)"/>`,
  will_block: html`<circle cx="7" cy="7" r="6.5" fill="var(--will)"/><path d="M7 3.6V7l2.2 1.5" stroke="var(--bg)" ${thin}/>`,
  blocked: html`<path d="M4.6.7h4.8l3.9 3.9v4.8l-3.9 3.9H4.6L.7 9.4V4.6z" fill="var(--blocked)"/><path d="M3.9 7h6.2" stroke="var(--bg)" stroke-width="1.7" stroke-linecap="round"/>`,
  pending: html`<circle cx="7" cy="7" r="5.75" stroke="var(--idle)" stroke-dasharray="2 2.1" ${thin}/>`,
  dash: html`<circle cx="7" cy="7" r="5.75" stroke="var(--idle)" ${thin}/><path d="M4.4 7h5.2" stroke="var(--idle)" ${thin}/>`,
}

const drawMark = (name: MarkName): Html =>
  html`<svg class="st" viewBox="0 0 14 14" aria-hidden="true">${shapes[name]}</svg>`
