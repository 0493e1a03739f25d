import { timingSafeEqual } from 'node:crypto'
import { sessionCookie } from '../../access/sessions/cookie.ts'
import { startSession } from '../../access/sessions/start-session.ts'
import { transact } from '../../base/db/transact.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { html } from '../../http/page/html.ts'
import type { DemoPerson } from './demo-people.ts'
import { assetAt, drawDocument } from './draw-document.ts'
import { drawLiveParts, drawStartPage, type StartView } from './draw-start-page.ts'
import { type Party, type PartyAnswer, type PartyRequest, partyCookie } from './open-party.ts'
import type { Stage } from './open-stage.ts'

type Parts = {
  party: Party
  /** What the printed address ends with: only whoever sees the terminal opens the console. */
  key: string
  stage: Stage
  secrets: Secrets
  baseUrl: string
  appOrigin: string
  people: readonly DemoPerson[]
}

const cookie = 'muster_demo'
const cleosLaptop = 'demo-cleo'

/** The start page, and what its buttons do. */
export function serveStartSite({ party, key, stage, secrets, baseUrl, appOrigin, people }: Parts): void {
  async function view(): Promise<StartView> {
    return {
      ...{ people, now: stage.clock(), fault: stage.fault(), docsAddress: `${baseUrl}/docs/guides/sign-in` },
      standings: await stage.standings(),
      isBroken: (slug) => stage.isBroken(cleosLaptop, slug),
      signInAddress: (slug) => `${appOrigin}/sign-in?as=${slug}`,
    }
  }

  async function live(): Promise<PartyAnswer> {
    return { type: 'application/json', text: JSON.stringify(drawLiveParts(await view())) }
  }

  /** Cookies ignore ports: the session that is given here is one of Muster's. */
  async function openConsole(): Promise<PartyAnswer> {
    const { organizationId, adminUserId } = stage.organization
    const from = { ipAddress: '127.0.0.1', userAgent: undefined }
    const asked = { organizationId, adminUserId, method: 'link', ...from, now: stage.clock() } as const
    const secret = await transact(stage.db, (tx) => startSession(tx, secrets, asked))
    return { location: `${baseUrl}/console`, cookies: [sessionCookie(baseUrl).give(secret)] }
  }

  async function turn(request: PartyRequest): Promise<PartyAnswer> {
    const slug = (await request.form()).get('check') ?? ''
    return (await stage.turn(cleosLaptop, slug)) ? { location: '/' } : nothing
  }

  party.serve((request): Promise<PartyAnswer> | PartyAnswer => {
    const route = `${request.method} ${request.path}`
    if (route === `GET /${key}`) return { location: '/', cookies: [partyCookie(cookie, key)] }
    const asset = assetAt(request.path)
    if (asset) return asset
    if (!isEqual(request.cookie(cookie) ?? '', key)) return elsewhere()
    if (route === 'GET /') return view().then(drawStartPage)
    if (route === 'GET /live') return live()
    if (route === 'POST /console') return openConsole()
    return route === 'POST /laptop' ? turn(request) : nothing
  }, baseUrl)
}

const nothing: PartyAnswer = { status: 404, text: 'There is nothing here.' }

const isEqual = (given: string, key: string): boolean =>
  given.length === key.length && timingSafeEqual(Buffer.from(given), Buffer.from(key))

const elsewhere = (): PartyAnswer =>
  drawDocument({
    ...{ party: 'Muster demo', title: 'Muster demo', status: 403, hasMark: true },
    body: html`<h1>Open the address in the terminal</h1>
<p class="lead">muster demo has printed it. It opens the demo in this browser.</p>`,
  })
