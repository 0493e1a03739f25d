// Hears that the sign-in has changed: by server-sent events, else by asking.
import { isVisible, pause } from './browser-facts.js'
import { refresh, region } from './region.js'
import { session } from './server-calls.js'

/** Nothing changes there but by the page itself. */
const quiet = ['identifying', 'looking', 'permission', 'no_answer', 'ended', 'fault', 'offline']

let stream
let failures = 0
let wake = () => {}

function openStream() {
  if (stream || failures >= 2 || !isVisible()) return
  stream = new EventSource(`/signin/${session}/events`)
  stream.onopen = () => {
    failures = 0
  }
  stream.onmessage = () => void refresh()
  stream.onerror = () => {
    failures += 1
    if (stream.readyState === EventSource.CLOSED || failures >= 2) {
      // Refused, or there are streams enough already: asking does as well.
      failures = 2
      closeStream()
    }
    setTimeout(() => wake(), 500)
  }
}

function closeStream() {
  stream?.close()
  stream = undefined
}

function untilNext() {
  const { state, rechecking } = region().dataset
  if (stream) return rechecking ? 2_500 : 30_000
  if (rechecking || state === 'evaluating') return 400
  return quiet.includes(state) ? 10_000 : 2_500
}

const woken = () =>
  new Promise((resolve) => {
    wake = resolve
  })

export async function followNews() {
  document.addEventListener('visibilitychange', () => {
    if (!isVisible()) return closeStream()
    failures = 0
    openStream()
    wake()
  })
  openStream()
  for (;;) {
    await Promise.race([pause(untilNext()), woken()])
    if (isVisible()) await refresh()
  }
}

/** The person has asked for something: what comes of it is looked for at once. */
export async function lookNow() {
  await refresh({ isForced: true })
  wake()
}
