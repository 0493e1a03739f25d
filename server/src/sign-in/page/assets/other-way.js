// The way that needs no permission: this tab goes to the agent, and is back with its proof.
import { at, findAgents, handOver } from './ask-agents.js'
import { facts, main, ports } from './browser-facts.js'
import { refresh } from './region.js'
import { challenge, post, session } from './server-calls.js'

const keys = { away: 'muster-away', tried: `tried ${session}`, failed: `failed ${session}` }
/** An agent answers at once; what takes a connection and says nothing would keep the tab here. */
const leaveMs = 5_000

/** The likeliest first: the agent that this browser knows by its cookie, then the one that it has asked before. */
const candidates = () => [
  ...new Set([main.dataset.known, localStorage.getItem('muster-port'), ...ports].filter(Boolean)),
]
const listOf = (key) => (sessionStorage.getItem(key) ?? '').split(' ').filter(Boolean)

export const hasTried = () => listOf(keys.tried).length > 0

/** Each try takes the next port. */
export async function goOtherWay() {
  const isRefused = facts.permission === 'granted' && (await findAgents()).length === 0
  const asked = await challenge()
  if (!asked) return refresh({ isForced: true })
  const tried = listOf(keys.tried)
  const all = candidates()
  const port = all[tried.length % all.length]
  sessionStorage.setItem(keys.tried, [...tried, port].join(' '))
  sessionStorage.setItem(keys.away, session)
  sessionStorage.setItem(`refused ${session}`, isRefused ? '1' : '')
  location.assign(`${at(port, '/v1/return')}?c=${asked}`)
  setTimeout(() => {
    if (sessionStorage.getItem(keys.away) !== session) return
    stop()
    dispatchEvent(new Event('muster-back'))
  }, leaveMs)
}

/** Whether the tab is here again without a proof: the person came back from an address where nothing answered. */
export function isBackWithoutAnswer() {
  const isBack = sessionStorage.getItem(keys.away) === session
  if (isBack) {
    sessionStorage.removeItem(keys.away)
    sessionStorage.setItem(keys.failed, listOf(keys.tried).join(' '))
  }
  const failed = listOf(keys.failed)
  if (failed.length > 0) facts.otherWay = `no answer at ${failed.join(', ')}`
  return isBack
}

/** On the page that the agent leads back to: the proof behind the # goes to the sign-in of this tab. */
export async function comeBack() {
  const found = new URLSearchParams(location.hash.slice(1))
  history.replaceState(null, '', location.pathname)
  const id = sessionStorage.getItem(keys.away)
  sessionStorage.removeItem(keys.away)
  if (!id) {
    document.querySelector('#region').replaceChildren(document.querySelector('#elsewhere').content.cloneNode(true))
    document.querySelector('h1').focus()
    return
  }
  const proof = found.get('proof')
  const port = (sessionStorage.getItem(`tried ${id}`) ?? '').split(' ').at(-1)
  const postThere = (what) => (body) => post(`/signin/${id}/${what}`, body)
  // Allowed, and refused by every port just before: what answers the address bar was kept from the page.
  const isKept = proof !== null && sessionStorage.getItem(`refused ${id}`)
  if (isKept) await postThere('undetected')({ reason: 'ad_blocker', via: 'bounce' })
  const { refusal } = proof === null ? { refusal: 'proof_invalid' } : await handOver([proof], postThere('proof'))
  if (refusal === undefined && port) localStorage.setItem('muster-port', port)
  if (refusal && refusal !== 'linking') await postThere('undetected')({ reason: refusal, via: 'bounce' })
  location.replace(`/signin/${id}`)
}
