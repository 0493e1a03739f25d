// Tells the server why the page finds no agent, and shows what it says of that.
import { isVisible } from './browser-facts.js'
import { refresh, region } from './region.js'
import { postTo } from './server-calls.js'

const repeatMs = 30_000
let told = { reason: '', via: 'fetch', at: 0 }

export const forgetReason = () => {
  told = { reason: '', via: 'fetch', at: 0 }
}

/** Says why nothing was found: at once, when the reason changes, and every 30 seconds while it stays. */
export async function giveReason(reason, via = 'fetch') {
  if (told.reason === reason && performance.now() - told.at < repeatMs) return
  told = { reason, via, at: performance.now() }
  await postTo('undetected', { reason, via }).catch(() => {})
  await refresh({ isForced: true })
}

/** A page that waits for an answer says so, as long as the person can see it. */
export function repeatReason() {
  if (isVisible() && told.reason && region().dataset.state === 'no_answer') void giveReason(told.reason, told.via)
}

export function saySlow() {
  const line = region().querySelector('[data-slow]')
  if (line && region().dataset.state === 'looking') line.textContent = line.dataset.slow
}
