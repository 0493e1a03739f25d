import assert from 'node:assert/strict'
import { answerOfProof } from '../support/answer-of-proof.ts'
import { callLoopback } from '../support/call-loopback.ts'
import { signInBrowser } from '../support/sign-in-browser.ts'
import { type addCaller, overHttp } from './sign-in-place.ts'

type Caller = Pick<Awaited<ReturnType<typeof addCaller>>, 'rp' | 'clientId' | 'email'>

/** What a browser does on a machine whose companion listens at the port: the page greets it, and hands over what it is given. */
export async function signInByLoopback(origin: string, { rp, clientId, email }: Caller, port: number) {
  const browser = signInBrowser(
    overHttp(() => origin),
    origin,
  )
  const { path } = await browser.follow(rp.addressOf(await rp.signedRequest(clientId, { login_hint: email })))
  const post = (what: string, body: object = {}) => browser.go(`${path}/${what}`, { method: 'POST', body })
  const headers = { origin, 'content-type': 'application/json', 'sec-fetch-mode': 'cors' }
  assert.equal((await callLoopback(port, '/v1/hello', { headers: { origin } })).status, 204)
  const { challenge } = JSON.parse((await post('challenge')).text) as { challenge: string }
  const answered = await callLoopback(port, '/v1/attest', {
    ...{ method: 'POST', headers, body: JSON.stringify({ challenge }) },
  })
  const { proof } = JSON.parse(answered.text) as { proof: string }
  const { status, text } = await post('proof', { proof })
  return { post, status, ...answerOfProof(text) }
}
