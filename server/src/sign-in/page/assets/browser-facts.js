// What this browser lets the page do, and what IT needs to know when it does not work.
export const main = document.querySelector('main')
export const ports = (main.dataset.ports ?? '').split(' ').filter(Boolean)
export const isVisible = () => document.visibilityState === 'visible'
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** By what an application that asks again and again in one tab is told from several tabs; undefined without storage. */
export function tab() {
  try {
    const known = sessionStorage.getItem('muster-tab') ?? crypto.randomUUID()
    sessionStorage.setItem('muster-tab', known)
    return known
  } catch {
    return undefined
  }
}

export const facts = { reason: 'none', permission: 'unknown', asked: 'nothing yet', otherWay: 'not tried' }

/** Chrome has split the permission in two; other browsers know one of the names, or none. */
const permissionNames = ['loopback-network', 'local-network-access']
let watched
let hear = () => {}
/** The one listener hears of each change of the permission. */
export const hearPermission = (listener) => {
  hear = listener
}

/** granted, prompt, denied, or unsupported. */
export async function permissionState() {
  for (const name of permissionNames) {
    try {
      const status = await navigator.permissions.query({ name })
      // Kept, so that it is not collected while it is listened to.
      watched ??= status
      watched.onchange = () => {
        facts.permission = watched.state
        hear(watched.state)
      }
      facts.permission = status.state
      return status.state
    } catch {}
  }
  facts.permission = 'unsupported'
  return 'unsupported'
}

/** Which way to the agent comes first (never a question that was not announced). */
export function choosePath({ permission, mayPrompt, isManaged, mayBounce }) {
  const isSilent = permission === 'granted' || permission === 'unsupported'
  if (isSilent || (isManaged && mayPrompt && permission === 'prompt')) return 'fetch'
  if (mayBounce) return 'bounce'
  if (permission === 'denied') return 'denied'
  return mayPrompt ? 'card' : 'nothing'
}

/** Why nothing was found, as far as a page can know. */
export function reasonOf({ permission, isForeign, isWebKit, isEmbedded }) {
  if (permission === 'denied' || permission === 'prompt') return 'permission_denied'
  if (isForeign) return 'proxy'
  return isEmbedded || (permission === 'unsupported' && isWebKit) ? 'unsupported' : 'agent_not_found'
}

/** For IT: no name, no secret. */
export function detailsText() {
  const lines = [
    ['Code', main.dataset.help ?? 'none'],
    ['Reason', facts.reason],
    ['Browser', main.dataset.browser],
    ['Permission', facts.permission],
    ['Asked', facts.asked],
    ['Other way', facts.otherWay],
    ['Time', `${new Date().toISOString().slice(0, 19).replace('T', ' ')} UTC`],
  ]
  return lines.map(([name, value]) => `${name.padEnd(13)}${value}`).join('\n')
}
