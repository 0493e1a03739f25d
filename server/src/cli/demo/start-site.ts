import { hostname } from 'node:os'
import { sessionCookie } from '../../access/sessions/cookie.ts'
import { startSession } from '../../access/sessions/start-session.ts'
import { newCause } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import type { DemoPerson } from './demo-people.ts'
import { drawLiveParts, drawStartPage, type StartView } from './draw-start-page.ts'
import type { Party, PartyAnswer, PartyRequest } from './open-site.ts'
import type { Stage } from './open-stage.ts'

type Parts = {
  party: Party
  stage: Stage
  secrets: Secrets
  baseUrl: string
  appAddress: string
  /** Answers nobody but a browser of this machine. */
  probe: string
  people: readonly DemoPerson[]
}

const cleosLaptop = 'demo-cleo'

/** The start page, and what its buttons do. */
export function serveStartSite({ party, stage, secrets, baseUrl, appAddress, probe, people }: Parts): void {
  async function view(isElsewhere = false): Promise<StartView> {
    return {
      ...{ people, probe, isElsewhere, address: party.address, machine: hostname() },
      ...{ now: stage.clock(), fault: stage.fault(), docsAddress: `${baseUrl}/docs/guides/sign-in` },
      standings: await stage.standings(),
      isBroken: (slug) => stage.isBroken(cleosLaptop, slug),
      signInAddress: (slug) => `${appAddress}/sign-in?as=${slug}`,
    }
  }

  async function live({ query }: PartyRequest): Promise<PartyAnswer> {
    const parts = drawLiveParts(await view(query.has('elsewhere')))
    return { type: 'application/json', text: JSON.stringify(parts) }
  }

  async function openConsole(): Promise<PartyAnswer> {
    const { organizationId, adminUserId } = stage.organization
    const from = { source: { ...newCause(), ipAddress: '127.0.0.1' }, userAgent: undefined }
    const asked = { organizationId, adminUserId, method: 'link', ...from, now: stage.clock() } as const
    const secret = await transact(stage.db, (tx) => startSession(tx, secrets, asked))
    return { location: `${baseUrl}/console`, cookies: [sessionCookie(baseUrl).give(secret)] }
  }

  async function turn(request: PartyRequest): Promise<PartyAnswer> {
    const slug = (await request.form()).get('check') ?? ''
    return (await stage.turn(cleosLaptop, slug)) ? { location: party.address } : nothing
  }

  party.serve((request): Promise<PartyAnswer> | PartyAnswer => {
    const route = `${request.method} ${request.path}`
    if (route === 'GET /') return view().then(drawStartPage)
    if (route === 'GET /live') return live(request)
    if (route === 'POST /console') return openConsole()
    return route === 'POST /laptop' ? turn(request) : nothing
  })
}

const nothing: PartyAnswer = { status: 404, text: 'There is nothing here.' }
