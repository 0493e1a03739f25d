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

/** What a refusal says, for the person. */
export async function refusalOf(response) {
  const { message, errors } = await response.json().catch(() => ({}))
  const [first] = errors ?? []
  return first?.message ? `This ${first.message}.` : (message ?? 'That did not work. Try it again.')
}
