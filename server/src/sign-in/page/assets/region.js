// The part of the page that changes: drawn by the server, dressed here with what only the browser knows.
import { detailsText, facts, main, pause } from './browser-facts.js'
import { isPressed, isTyping, isWriting, keepPlace, whenReleased } from './keep-place.js'
import { postTo, regionText } from './server-calls.js'
import { tellTimes } from './times.js'

export const region = () => document.querySelector('#region')
const stateOf = () => region().dataset.state
const trusted = globalThis.trustedTypes?.createPolicy('muster-region', { createHTML: (text) => text })

function parse(text) {
  const draft = document.createElement('template')
  draft.innerHTML = trusted?.createHTML(text) ?? text
  return draft.content.querySelector('#region')
}

/** The same drawing has the same key, whatever the time that is left. */
function keyOf(drawn) {
  const copy = drawn.cloneNode(true)
  copy.removeAttribute('data-left')
  return copy.outerHTML
}

let shownKey = keyOf(region())
let isOverlaid = false
let hasNews = false

let timers = []
const after = (ms, work) => ms > 0 && timers.push(setTimeout(work, ms))

/** Two minutes before the application stops waiting this is told once; at the end nothing is promised any more. */
function watchDeadline(drawn) {
  for (const timer of timers) clearTimeout(timer)
  timers = []
  const left = Number(drawn.dataset.left)
  if (!Number.isFinite(left) || ['too_late', 'ended'].includes(drawn.dataset.state)) return
  const soon = () => warnOfDeadline(drawn)
  if (left <= 120_000) soon()
  after(left - 120_000, soon)
  after(left - 19_900, () => void refresh())
}

let isWarned = false
function warnOfDeadline(drawn) {
  const line = drawn.querySelector('[data-deadline]')
  const time = line?.querySelector('time')
  if (!time) return
  line.replaceChildren(`${line.dataset.deadline} `, time, '.')
  line.classList.add('soon')
  if (!isWarned) tell(line.textContent)
  isWarned = true
}

export const tell = (text) => {
  document.querySelector('#news').textContent = text
}

const seen = new Set()
/** Issues that were really open before the person's eyes. */
export function noteSeen() {
  const open = [...region().querySelectorAll('.iss[open]')].flatMap(({ dataset }) => dataset.issues.split(' '))
  const news = open.filter((id) => id && !seen.has(id))
  if (news.length === 0) return
  for (const id of news) seen.add(id)
  void postTo('seen', { issue_ids: news.slice(0, 100) }).catch(() => {})
}

/** What IT needs, as it is known now. */
export function fillDetails(drawn = region()) {
  const details = drawn.querySelector('[data-details]')
  if (details) details.textContent = detailsText()
}

export function dress(drawn) {
  tellTimes(drawn)
  facts.reason = drawn.dataset.reason || 'none'
  fillDetails(drawn)
  const either = drawn.querySelector('#other-way')
  if (either) either.hidden = !facts.otherWay.startsWith('no answer')
  watchDeadline(drawn)
}

const titlesOf = (drawn) => [...drawn.querySelectorAll('.rw h2')].map(({ textContent }) => textContent)

function replace(next) {
  const before = region()
  const isNew = next.dataset.state !== before.dataset.state
  const putFocusBack = keepPlace(before, next, !isNew)
  const fixed = titlesOf(before)
  const news = titlesOf(next).filter((title) => !fixed.includes(title))
  next.className = isNew ? 'next' : 'same'
  dress(next)
  before.replaceWith(next)
  document.title = next.dataset.tab
  if (news.length > 0) tell(`${news.join('. ')}. Fixed.`)
  putFocusBack()
  noteSeen()
  leaveWhenDone(before.dataset.state, next)
}

/** The application opens by itself; a page that comes back from there again and again stays, with its button. */
export function leaveWhenDone(stateBefore, { dataset }) {
  const { finish, ready } = dataset
  if (finish) return leaveFor(finish)
  // Nothing blocks any more: what is left was on the page.
  if (stateBefore === 'blocked' && ready) leaveFor(ready)
}

/** Another navigation would break off the first, whose answer to the application is given once. */
const leavingMs = 15_000
let leavingUntilMs = 0
const isLeaving = () => performance.now() < leavingUntilMs
addEventListener('beforeunload', () => {
  leavingUntilMs = performance.now() + leavingMs
})
const stay = () => {
  leavingUntilMs = 0
}
addEventListener('pageshow', ({ persisted }) => persisted && stay())
addEventListener('muster-back', stay)

export function leaveFor(address) {
  if (isLeaving()) return
  const key = `left ${main.dataset.session}`
  const count = Number(sessionStorage.getItem(key) ?? 0)
  if (count >= 3) return
  sessionStorage.setItem(key, String(count + 1))
  location.assign(address)
}

/** Draws a state that the page alone knows. */
export async function overlay(state) {
  if (isPressed()) await whenReleased()
  if (stateOf() === state) return
  isOverlaid = true
  replace(document.querySelector(`template#${state}`).content.cloneNode(true).querySelector('#region'))
}

const isSilentlyUnder = (next) =>
  isOverlaid && stateOf() === 'permission' && ['looking', 'no_answer'].includes(next.dataset.state)

/** Shows what the server says now, or has just drawn. Asks again by itself while the server does not answer. */
export async function refresh({ isForced = false, drawn } = {}) {
  if (isLeaving()) return
  let text = drawn
  for (let failures = 0; drawn === undefined; failures += 1) {
    try {
      text = await regionText()
      break
    } catch {
      await waitForServer(failures)
    }
  }
  if (text === undefined) return overlay('ended')
  if (isPressed()) {
    // What the press did comes first; the region may be another one after it.
    await whenReleased()
    return refresh({ isForced })
  }
  const next = parse(text)
  const key = keyOf(next)
  if (!isForced && isSilentlyUnder(next)) return
  if (key === shownKey && !isOverlaid) return
  if (isWriting() || (isTyping() && next.dataset.state === stateOf())) {
    hasNews = true
    tell('There is news. It shows when you leave this field.')
    return
  }
  const isAnswering = ['fault', 'offline'].includes(stateOf())
  isOverlaid = false
  hasNews = false
  shownKey = key
  replace(next)
  if (isAnswering && ['looking', 'no_answer'].includes(stateOf())) dispatchEvent(new Event('muster-again'))
}

/** Two tries nobody notices; then the page says that it is the server, and when it tries again. */
async function waitForServer(failures) {
  if (failures < 2) return pause(700)
  const seconds = Math.min(30, 2 ** (failures - 1))
  await overlay(navigator.onLine ? 'fault' : 'offline')
  const line = region().querySelector('[data-retry]')
  if (line) line.textContent = `Trying again in ${seconds === 1 ? '1 second' : `${seconds} seconds`}.`
  await new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1_000)
    const retry = () => {
      clearTimeout(timer)
      resolve()
    }
    for (const event of ['muster-retry', 'online']) addEventListener(event, retry, { once: true })
  })
}

export const showNewsAfterTyping = () => hasNews && !isTyping() && void refresh()
