// Hears that the sign-in has changed: the server holds a request until it has.
import { isVisible, pause } from './browser-facts.js'
import { refresh, region } from './region.js'
import { markAfter } from './server-calls.js'

/** What is answered sooner without news was not held. */
const heldMs = 1_000
/**
 * Until it asks again where the server held nothing: half a second first, for a process that has ended. Of a sign-in that
 * is gone there will be no news.
 */
const pauseMs = (count) => (region().dataset.state === 'ended' ? 60_000 : Math.min(2_000, 250 * 2 ** count))

const becomesVisible = () =>
  new Promise((resolve) => {
    const look = () => {
      if (!isVisible()) return
      document.removeEventListener('visibilitychange', look)
      resolve()
    }
    document.addEventListener('visibilitychange', look)
    look()
  })

/** Shows what is new for as long as somebody sees the page. */
export async function followNews() {
  let [asking, unheld] = [undefined, 0]
  document.addEventListener('visibilitychange', () => isVisible() || asking?.abort())
  for (let mark = ''; ; ) {
    await becomesVisible()
    asking = new AbortController()
    const askedAt = performance.now()
    const found = await markAfter(mark, asking.signal).catch(() => undefined)
    if (asking.signal.aborted) continue
    await refresh()
    const isHeld = found !== undefined && (found !== mark || performance.now() - askedAt > heldMs)
    mark = found ?? mark
    unheld = isHeld ? 0 : unheld + 1
    if (!isHeld) await pause(pauseMs(unheld))
  }
}
