// The page's requests to its own server, with the cookie of the sign-in.
import { main } from './browser-facts.js'

export const session = main.dataset.session
const home = `/signin/${session}`

export const post = (path, body = {}) =>
  fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

export const postTo = (what, body) => post(`${home}/${what}`, body)

/** A challenge for one attempt; undefined when the sign-in gets none any more. */
export async function challenge() {
  const response = await postTo('challenge')
  return response.ok ? (await response.json()).challenge : undefined
}

/** The region as the server draws it now; undefined when the sign-in is gone. Throws when the server does not answer. */
export async function regionText() {
  const response = await fetch(`${home}/region`, { headers: { accept: 'text/html' } })
  if ([403, 404, 410].includes(response.status)) return undefined
  if (!response.ok) throw new Error(`The region is not there: ${response.status}`)
  return response.text()
}

/**
 * The mark of the sign-in once it is another one than `seen`, or after 25 seconds. Throws when the server does not answer,
 * or holds requests enough.
 */
export async function markAfter(seen, signal) {
  const response = await fetch(`${home}/news?seen=${seen}`, { signal })
  if (!response.ok) throw new Error(`The news are not there: ${response.status}`)
  return (await response.json()).mark
}

/** What a refusal says, for the person. */
export async function refusalOf(response) {
  const { message, errors } = await response.json().catch(() => ({}))
  const [first] = errors ?? []
  return first?.message ? `This ${first.message}.` : (message ?? 'That did not work. Try it again.')
}
