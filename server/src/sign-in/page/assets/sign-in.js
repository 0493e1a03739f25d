// The page of a sign-in: finds the agent on this computer, and shows what the server says.
import { findAgents, isEveryPortForeign, noteAnsweredQuestion, prove } from './ask-agents.js'
import {
  choosePath,
  facts,
  hearPermission,
  isVisible,
  main,
  pause,
  permissionState,
  reasonOf,
} from './browser-facts.js'
import { isTyping } from './keep-place.js'
import { followNews } from './news.js'
import { comeBack, goOtherWay, hasTried, isBackWithoutAnswer } from './other-way.js'
import { acts, send } from './person-acts.js'
import { forgetReason, giveReason, repeatReason, saySlow } from './reasons.js'
import {
  dress,
  fillDetails,
  leaveFor,
  leaveWhenDone,
  noteSeen,
  overlay,
  refresh,
  region,
  showNewsAfterTyping,
} from './region.js'
import { postTo, session } from './server-calls.js'
import { tellTimes } from './times.js'

const { prompt, managed, bounce, finishLater, in: surroundings } = main.dataset
const isPhone = surroundings === 'phone'
const isWebKit = /AppleWebKit/.test(navigator.userAgent) && !/Chrom|Edg/.test(navigator.userAgent)
/** The browser asks nothing, whatever it says: by a policy, or as it was found out. */
const isManaged = () => Boolean(managed) || localStorage.getItem('muster-silent') !== null
// Where a policy lets the page ask, no answer means that nothing is there: the tab would end on an error of the browser.
const mayBounce = () => Boolean(bounce) && !managed && !hasTried()
/** Within 8 seconds a reason is on the page. */
const nameReasonMs = 6_000

let turn = 0
let isAsking = false

/** Asks every agent once; resolves to whether the sign-in knows the device now. */
async function askOnce(options) {
  isAsking = true
  try {
    const found = await findAgents(options)
    if (found.length === 0) return false
    const { refusal, region: drawn } = await prove(found)
    if (refusal && refusal !== 'linking') {
      await giveReason(refusal)
      return false
    }
    await refresh({ isForced: true, drawn })
    return refusal === undefined && !['looking', 'no_answer', 'linking'].includes(region().dataset.state)
  } finally {
    isAsking = false
  }
}

async function look() {
  turn += 1
  if (isPhone) return giveReason('unsupported')
  const permission = await permissionState()
  const choice = { permission, mayPrompt: Boolean(prompt), isManaged: isManaged(), mayBounce: mayBounce() }
  const path = choosePath(choice)
  if (path === 'bounce') return goOtherWay()
  if (path === 'denied') return giveReason('permission_denied')
  if (path === 'card') return overlay('permission')
  if (path === 'nothing') return finishLater && !isLate() ? undefined : giveReason('agent_not_found')
  return keepAsking(turn)
}

async function keepAsking(mine) {
  const startedAt = performance.now()
  const slow = setTimeout(saySlow, 2_000)
  while (mine === turn) {
    const timeoutMs = facts.permission === 'unsupported' ? 1_500 : undefined
    if (isVisible() && (await askOnce(timeoutMs && { timeoutMs }))) break
    if (mine !== turn) break
    const { state } = region().dataset
    if (!['looking', 'no_answer', 'linking'].includes(state)) break
    if (state !== 'linking' && mayBounce()) return goOtherWay()
    const isDue = performance.now() - startedAt > nameReasonMs && state !== 'linking'
    // Where an app has answered, the reason is what it said, until it says something else.
    const hasAnswered = region().dataset.stays !== undefined
    if (isDue && !hasAnswered && isVisible()) await giveReason(await reasonNow())
    await pause(state === 'looking' ? 800 : 3_000)
  }
  clearTimeout(slow)
}

async function reasonNow() {
  const said = await permissionState()
  // Where a policy allows it, or the page is of this computer, browsers say so or still that they would ask.
  const permission = isManaged() && said === 'prompt' ? 'granted' : said
  const isForeign = permission === 'granted' && (await isEveryPortForeign())
  return reasonOf({ permission, isForeign, isWebKit, isEmbedded: surroundings === 'web_view' })
}

function onPermissionChange(state) {
  if (state === 'granted') noteAnsweredQuestion()
  const isOpen = ['looking', 'permission', 'no_answer'].includes(region().dataset.state)
  if (isAsking || !isOpen) return
  if (state === 'granted') void look()
  if (state === 'denied') void giveReason('permission_denied')
}

/** The browser asks now: nothing is timed before it is answered. */
async function askBrowser(button) {
  if (button.getAttribute('aria-disabled')) return
  turn += 1
  button.setAttribute('aria-disabled', 'true')
  if (await askOnce({ isOpenEnded: true })) return
  const permission = await permissionState()
  if (permission === 'granted' || permission === 'unsupported') return void keepAsking(turn)
  await giveReason('permission_denied')
}

const isLate = () => sessionStorage.getItem(`late ${session}`) !== null

/** A trial stops nobody: after two seconds the application opens, whatever was found. */
function finishSoon() {
  if (!finishLater || isLate()) return
  setTimeout(() => {
    sessionStorage.setItem(`late ${session}`, '1')
    if (['looking', 'no_answer'].includes(region().dataset.state)) leaveFor(finishLater)
  }, 1_900)
}

const allActs = { ...acts, allow: askBrowser }

let comeBackAt = -10_000
async function checkOnReturn() {
  const { state, rechecking } = region().dataset
  if (!isVisible() || !['blocked', 'unfinished'].includes(state) || rechecking || isTyping()) return
  if (performance.now() - comeBackAt < 10_000) return
  comeBackAt = performance.now()
  await postTo('recheck').catch(() => {})
  await refresh({ isForced: true })
}

async function begin() {
  hearPermission(onPermissionChange)
  setInterval(repeatReason, 5_000)
  dress(region())
  noteSeen()
  const onReturn = () => isBackWithoutAnswer() && void noAnswerEither()
  addEventListener('pageshow', ({ persisted }) => persisted && onReturn())
  addEventListener('muster-back', onReturn)
  addEventListener('offline', () => void refresh())
  addEventListener('muster-again', () => isAsking || void look())
  void followNews()
  const isBack = isBackWithoutAnswer()
  leaveWhenDone(undefined, region())
  if (!['looking', 'no_answer', 'linking'].includes(region().dataset.state)) return
  finishSoon()
  if (isBack) await noAnswerEither()
  else await look()
}

/** Here again after the other way: the page says so, and looks on where it may. */
async function noAnswerEither() {
  const permission = await permissionState()
  forgetReason()
  await giveReason(permission === 'denied' ? 'permission_denied' : 'agent_not_found', 'bounce')
  dress(region())
  if (permission === 'granted' || permission === 'unsupported') {
    turn += 1
    await keepAsking(turn)
  }
}

const onToggle = () => {
  fillDetails()
  noteSeen()
}

document.addEventListener('click', ({ target }) => {
  const asking = target.closest('.asking > summary')?.parentElement
  // Its summary makes room for the form.
  if (asking) setTimeout(() => asking.querySelector('textarea').focus())
  const button = target.closest('[data-act]')
  if (button) void allActs[button.dataset.act]?.(button)
})
document.addEventListener('submit', (event) => {
  // These leave the page, for the application and for the identity provider.
  if (/\/(cancel|identify)$/.test(event.target.action)) return
  event.preventDefault()
  void send(event.target)
})
document.addEventListener('toggle', onToggle, true)
document.addEventListener('focusout', () => setTimeout(showNewsAfterTyping))
document.addEventListener('visibilitychange', () => void checkOnReturn())

if (main.dataset.return) void comeBack()
else if (session) void begin()
else tellTimes(document)
