import { html } from '../../http/page/html.ts'
import type { DemoPerson } from './demo-people.ts'
import { drawDocument } from './draw-document.ts'
import type { PartyAnswer } from './open-site.ts'

/** A page of the demo's sign-in that has only something to say. */
export const drawNotice = (title: string, text: string, status = 200): PartyAnswer =>
  drawDocument({
    ...{ party: 'Demo sign-in', title, status },
    body: html`<h1>${title}</h1><p class="lead">${text}</p>`,
  })

/** Where the application has not said who signs in. */
export function drawChoice(people: readonly DemoPerson[], query: URLSearchParams): PartyAnswer {
  const addressFor = (slug: string) => {
    const chosen = new URLSearchParams(query)
    chosen.set('login_hint', slug)
    return `?${chosen}`
  }
  const rows = people.map(
    ({ slug, name, kind }) => html`<li><div><b>${name}</b><p class="hint">${kind}</p></div>
    <a class="button" href="${addressFor(slug)}">Sign in<span class="hidden"> as ${name}</span></a></li>`,
  )
  return drawDocument({
    ...{ party: 'Demo sign-in', title: 'Who are you?' },
    body: html`<h1>Who are you?</h1><p class="lead">It asks for no password.</p><ul class="options">${rows}</ul>`,
  })
}

export type Told = {
  name: string
  email: string
  acr: string
  amr: readonly string[]
  device: { managed?: boolean; compliant?: boolean; externalId?: string | null }
  /** All that its sign-in sent. */
  claims: Record<string, unknown>
}

/** Where the application is, and the console that the device's number leads to. */
export type NotesPlace = { address: string; consoleAddress: string }

const notes = [
  ['Offsite', 'Book the hut for twelve before Friday.'],
  ['Invoices', 'Ask Ben for the two that are missing.'],
] as const

const word = (value: boolean | undefined): string => (value === undefined ? 'not told' : value ? 'yes' : 'no')

/** The application, for someone who got in. */
export function drawNotes(
  { name, email, acr, amr, device, claims }: Told,
  { address, consoleAddress }: NotesPlace,
): PartyAnswer {
  const facts: [string, string][] = [
    ['Person', `${name}, ${email}`],
    ['Device check', acr],
    ['Proved by', amr.length > 0 ? amr.join(', ') : 'nothing'],
    ['Device is managed', word(device.managed)],
    ['Device passes its checks', word(device.compliant)],
  ]
  const id = device.externalId
  return drawDocument({
    ...{ party: 'Northwind Notes', title: 'Northwind Notes' },
    body: html`<h1>Hello, ${name}</h1><p class="lead">Signed in as <b>${email}</b>. The notes are made up; what the app was told is not.</p>
<ul class="notes">${notes.map(([title, text]) => html`<li><h2>${title}</h2><p>${text}</p></li>`)}</ul>
<section><h2>What Northwind Notes was told</h2>
<dl class="facts">${facts.map(([term, text]) => html`<dt>${term}</dt><dd>${text}</dd>`)}
${id && html`<dt>Device</dt><dd><a href="${`${consoleAddress}/devices/${id}`}">Number ${id} in Muster</a></dd>`}</dl>
<details><summary>The claims of the ID token</summary><pre>${JSON.stringify(claims, null, 2)}</pre></details></section>
<form method="post" action="${`${address}/sign-out`}"><button class="button">Sign out</button></form>`,
  })
}

/** The application, for whoever is not signed in. */
export const drawSignedOut = ({ address }: NotesPlace, title: string, text: string): PartyAnswer =>
  drawDocument({
    ...{ party: 'Northwind Notes', title },
    body: html`<h1>${title}</h1><p class="lead">${text}</p><p class="actions"><a class="button main" href="${`${address}/sign-in`}">Sign in</a></p>`,
  })
