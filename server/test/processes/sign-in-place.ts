import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { answerOfProof } from '../support/answer-of-proof.ts'
import { companionClient } from '../support/companion-client.ts'
import { reportLinkFiles } from '../support/link-report.ts'
import { type MusterPlace, type MusterProcess, until } from '../support/muster-process.ts'
import { osqueryClient } from '../support/osquery-client.ts'
import { provingDevice, relyingParty, signInBrowser } from '../support/sign-in-browser.ts'

type AsyncHooks = { after(work: () => Promise<void>): void }

const limitMs = 60_000

/** Requests of a browser to whichever process `origin` names at the time, each on a connection of its own. */
export function overHttp(origin: () => string): Pick<FastifyInstance, 'inject'> {
  type Asked = {
    method: string
    url: string
    headers: Record<string, string>
    payload?: unknown
    remoteAddress: string
  }
  const inject = ({ method, url, headers, payload, remoteAddress }: Asked) =>
    new Promise((resolve, reject) => {
      const isText = typeof payload === 'string'
      const body = payload === undefined || isText ? payload : JSON.stringify(payload)
      const type = body === undefined || isText ? {} : { 'content-type': 'application/json' }
      const reached = origin()
      const { request } = reached.startsWith('https:') ? https : http
      // A certificate is of the name.
      const address = request === https.request ? reached : reached.replace('localhost', '127.0.0.1')
      const sent = request(new URL(url, address), {
        ...{ method, agent: false, timeout: limitMs },
        // As a proxy tells it, which the process may trust.
        headers: { ...type, 'x-forwarded-for': remoteAddress, ...headers },
      })
      sent.on('response', (response) => {
        const { statusCode, headers: received } = response
        text(response).then((answered) => resolve({ statusCode, headers: received, payload: answered }), reject)
      })
      sent.on('timeout', () => sent.destroy(new Error(`No answer within ${limitMs} ms`)))
      sent.on('error', reject)
      sent.end(body as string | undefined)
    })
  // The one form of it that a browser of the tests uses.
  return { inject } as unknown as Pick<FastifyInstance, 'inject'>
}

/** Ana, and an application whose signed requests name her; made by commands. */
export async function addCaller(
  run: (...args: string[]) => Promise<string>,
  { folder, baseUrl }: { folder: string; baseUrl: string },
) {
  const rp = await relyingParty({ issuer: baseUrl })
  const keys = join(folder, 'keys.json')
  await writeFile(keys, JSON.stringify({ keys: [rp.jwk] }))
  const email = 'ana@example.com'
  await run('people', 'add', 'Ana Ruiz', email)
  const caller = ['Payroll', '--redirect-uri', rp.redirectUri, '--request-keys', keys, '--enforce']
  const said = await run('connections', 'add', 'second-step', ...caller)
  const [, clientId = ''] = /^Client ID:\s+(\S+)$/m.exec(said) ?? []
  const [, clientSecret = ''] = /^Client secret:\s+(\S+)$/m.exec(said) ?? []
  return { rp, clientId, clientSecret, email }
}

type Reached = Pick<MusterProcess, 'origin'>
type Caller = Pick<Awaited<ReturnType<typeof addCaller>>, 'rp' | 'clientId' | 'clientSecret'>

type Web = ReturnType<typeof overHttp>
type Parts = { place: MusterPlace; server: MusterProcess; baseUrl: string; through?: (web: Web) => Web }

export type SignInPlace = Awaited<ReturnType<typeof openSignInPlace>>

/**
 * An application, a person and a device of theirs with its companion, all made as an operator makes them. `baseUrl` is
 * what people know the server by, whichever process serves it, and `through` what changes how browsers reach it.
 */
export async function openSignInPlace(hooks: AsyncHooks, { place, server, baseUrl, through = (web) => web }: Parts) {
  const folder = mkdtempSync(join(tmpdir(), 'muster-sign-in-'))
  hooks.after(() => rm(folder, { recursive: true, force: true }))
  const run = async (...args: string[]): Promise<string> => {
    const { exit, out, err } = await place.run(args)
    assert.equal(exit, 0, err)
    return out
  }
  const caller = await addCaller(run, { folder, baseUrl })
  const { rp, clientId, email } = caller
  const secret = (await run('enrollment-secrets', 'create', 'Ana', '--person-email', email)).trim().split(/\s+/).at(-1)
  let reached: Reached = server
  /** A machine whose companion is linked to its osquery node. */
  async function addMachine(withSecret: string, machine: { uuid: string; serial: string }) {
    const address = reached.origin.replace('localhost', '127.0.0.1')
    const client = osqueryClient(address)
    hooks.after(async () => client.close())
    const enrolled = await client.enroll(withSecret, machine)
    assert.ok(enrolled.accepted)
    await client.answerAll(() => ({ rows: [{ KOLIDE_CHECK_STATUS: 'PASS' }] }))
    const companion = await companionClient(address)
    const hardware = { hardware_uuid: machine.uuid, hardware_serial: machine.serial }
    const { body } = await companion.enroll(withSecret, hardware)
    await until(limitMs, () => reportLinkFiles(client, [body.link?.name ?? '']))
    assert.equal((await companion.checkIn()).body.status, 'linked')
    return { client, companion, device: await provingDevice(companion.keys) }
  }
  const machine = { uuid: '4C4C4544-0042-3510-8056-00000000A11A', serial: 'PF00A11A' }
  const own = await addMachine(secret ?? '', machine)
  const { client, companion } = own
  const web = through(overHttp(() => reached.origin))

  /** The page of a sign-in that the application has begun. */
  async function arrive(from?: string) {
    const browser = signInBrowser(web, baseUrl, from)
    const request = await rp.signedRequest(clientId, { login_hint: email })
    const address = rp.addressOf(request)
    return { browser, address, begin: () => onPage(browser, address) }
  }

  async function onPage(browser: ReturnType<typeof signInBrowser>, address: string) {
    const { path, reply } = await browser.follow(address)
    assert.match(path, /^\/signin\/[0-9a-f]{24}$/, `${reply.status} ${reply.text}`)
    const post = (what: string, given: object = {}) => browser.go(`${path}/${what}`, { method: 'POST', body: given })
    const challenge = async () => {
      const { status, text: answered } = await post('challenge')
      return status === 200 ? (JSON.parse(answered) as { challenge: string }).challenge : undefined
    }
    const proofOf = (given: string, by = own) => by.device.prove(given, by.companion.epoch() ?? '')
    const prove = async (by = own) => {
      const answered = await post('proof', { proof: await proofOf((await challenge()) ?? '', by) })
      return { status: answered.status, ...answerOfProof(answered.text) }
    }
    const region = async () => {
      const { status, text: answered } = await browser.go(`${path}/region`)
      return { status, state: /data-state="(\w+)"/.exec(answered)?.[1] }
    }
    /** What the page hears at the process that browsers reach now; rejects when the process ends. */
    const markAfter = async (seen: string) =>
      (JSON.parse((await browser.go(`${path}/news?seen=${seen}`)).text) as { mark: string }).mark
    const finishPath = async () =>
      /data-finish="([^"]+)"/.exec((await browser.go(path)).text)?.[1]?.replaceAll('&#47;', '/') ?? ''
    /** The address that leads back to the application. */
    const finish = async () => (await browser.follow(await finishPath())).away
    return { browser, path, post, challenge, proofOf, prove, region, markAfter, finishPath, finish }
  }

  async function redeem(away: string | undefined, by: Caller = caller) {
    const code = new URL(away ?? '').searchParams.get('code') ?? ''
    const basic = Buffer.from(`${by.clientId}:${by.clientSecret}`).toString('base64')
    const { redirectUri, verifier } = by.rp
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }
    const { status, text: answered } = await signInBrowser(web, baseUrl).go('/signin/oidc/token', {
      ...{ method: 'POST', body: new URLSearchParams(form).toString() },
      // An application asks, not a page.
      headers: {
        origin: undefined,
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${basic}`,
      },
    })
    return { status, text: answered }
  }

  /** Redeems the code at the token endpoint, and verifies the ID token. */
  async function tokenOf(away: string | undefined) {
    const { status, text: answered } = await redeem(away)
    assert.equal(status, 200, answered)
    const jwks = JSON.parse((await signInBrowser(web, baseUrl).go('/signin/oidc/jwks')).text) as JSONWebKeySet
    const { id_token: token } = JSON.parse(answered) as { id_token: string }
    const { payload } = await jwtVerify(token, createLocalJWKSet(jwks), {
      ...{ issuer: `${baseUrl}/signin/oidc`, audience: clientId },
    })
    return payload
  }

  return {
    ...{ arrive, onPage, redeem, tokenOf, addMachine, run, client, companion, baseUrl, host: new URL(baseUrl).host },
    ...{ web, caller },
    origin: () => reached.origin,
    /** From now on browsers reach this process, or by turns those that it names. */
    use: (other: Reached) => {
      reached = other
    },
  }
}
