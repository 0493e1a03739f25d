import { type Html, html } from '../../http/page/html.ts'
import { icon, mark, type Shape } from './marks.ts'
import type { FixView, PageView, RowsView, ThingView } from './page-view.ts'
import { time } from './plain-words.ts'

type Place = Pick<PageView, 'id' | 'kind' | 'state'>

/** What is to be fixed, and what was fixed since the sign-in began, each where it was. */
export function drawThings(view: PageView): Html {
  const open = view.things.filter(({ standing }) => standing !== 'fixed')
  // From three on one is open at a time.
  const name = open.length > 2 ? 'things' : ''
  const isOpen = (thing: ThingView) => {
    if (view.state === 'warning') return false
    return open.length > 2 ? thing === open[0] : true
  }
  return html`<div class="list">${view.things.map((thing) =>
    thing.standing === 'fixed' ? drawFixed(thing, view) : drawThing(view, thing, { name, isOpen: isOpen(thing) }),
  )}</div>`
}

const drawFixed = ({ goodTitle, fixedAt }: ThingView, { state }: PageView): Html =>
  html`<div class="iss rw">${mark('good')}<h2>${goodTitle}</h2><span class="tm">${
    fixedAt !== null && (state === 'passed' ? time(fixedAt) : html`Fixed at ${time(fixedAt)}`)
  }</span></div>`

const shapeOf = ({ standing, isChecking }: ThingView): Shape => {
  if (isChecking) return 'running'
  return standing === 'blocking' ? 'blocked' : standing === 'later' ? 'will' : 'notified'
}

function noteOf({ isChecking, stillAt, standing, blocksAt, snooze }: ThingView): Html | string {
  if (isChecking) return 'Checking…'
  if (snooze.kind === 'running') return 'Snoozed'
  if (standing === 'later' && blocksAt !== null) return html`By ${time(blocksAt, 'day')}`
  return stillAt === null ? '' : html`Not fixed at ${time(stillAt)}`
}

function drawThing(place: Place, thing: ThingView, { name, isOpen }: { name: string; isOpen: boolean }): Html {
  const { checkId, issueIds, title, why, rows, fix, more } = thing
  return html`<details class="iss" id="thing-${checkId}" data-issues="${issueIds.join(' ')}"${name !== '' && html` name="${name}"`}${isOpen && html` open`}>
<summary id="title-${checkId}">${mark(shapeOf(thing))}<h2>${title}</h2><span class="tm">${noteOf(thing)}</span>${icon('arrow')}</summary>
<div class="in">${why && html`<div class="why">${why}</div>`}${rows && drawRows(rows)}${more > 0 && html`<p class="more">${more} more</p>`}${fix && drawFix(fix, checkId)}${drawActs(place, thing)}</div>
</details>`
}

const drawRows = ({ columns, rows }: RowsView): Html =>
  html`<table class="rows"><thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead><tbody>${rows.map(
    (row) => html`<tr>${row.map((value) => html`<td>${value}</td>`)}</tr>`,
  )}</tbody></table>`

const drawFix = ({ system, steps, others }: FixView, checkId: string): Html =>
  html`${system !== null && html`<p class="os">Steps for ${system}</p>`}<div class="fix">${steps}</div>${
    others.length > 0 &&
    html`<details class="other" id="other-${checkId}"><summary>Another system</summary>${others.map(
      (other) => html`<p class="os">Steps for ${other.system}</p><div class="fix">${other.steps}</div>`,
    )}</details>`
  }`

function drawActs({ id, state, kind }: Place, thing: ThingView): Html | false {
  // An application that has stopped waiting takes no more requests.
  if (state === 'too_late') return false
  const parts = [drawSnooze(id, thing), drawExemption(id, thing, kind)].flatMap((part) => (part ? [part] : []))
  const { exemption } = thing
  const refusal = exemption.kind === 'refused' && html`<p class="say">IT said no: “${exemption.words}”</p>`
  return html`${refusal}${parts.length > 0 && html`<div class="acts">${parts}</div>`}`
}

function drawSnooze(id: string, { checkId, issueIds, snooze }: ThingView): Html | undefined {
  if (snooze.kind === 'none') return undefined
  if (snooze.kind === 'running') {
    return html`<p class="said">Snoozed until ${time(snooze.until, 'day')} · none left this week</p>`
  }
  if (snooze.kind === 'spent') {
    return html`<p class="said">Snoozed already. The next snooze is possible from ${time(snooze.againAt, 'day')}.</p>`
  }
  return html`<form method="post" action="/signin/${id}/snooze"><input type="hidden" name="issue_id" value="${issueIds[0]}">
<button class="btn sm q" id="snooze-${checkId}">Snooze for 24 hours</button></form>`
}

function drawExemption(id: string, { checkId, issueIds, exemption }: ThingView, kind: string): Html | undefined {
  if (exemption.kind === 'none') return undefined
  if (exemption.kind === 'asked') {
    return html`<form method="post" action="/signin/${id}/withdraw" class="said"><input type="hidden" name="request_id" value="${exemption.requestId}">
With IT since ${time(exemption.at)} · <button class="lk" id="withdraw-${checkId}">Withdraw</button></form>`
  }
  return html`<details class="asking" id="asking-${checkId}"><summary class="btn sm q" id="ask-${checkId}">Ask for an exemption…</summary>
<form method="post" action="/signin/${id}/exemption" class="form"><input type="hidden" name="issue_id" value="${issueIds[0]}">
<label class="label" for="why-${checkId}">Why does this ${kind} need an exemption?</label>
<textarea class="field" id="why-${checkId}" name="message" rows="2" maxlength="5000" required aria-describedby="help-${checkId}"></textarea>
<p class="help" id="help-${checkId}">IT reads this. You stay blocked until they answer.</p>
<div class="acts"><button class="btn sm p" id="send-${checkId}">Send to IT</button><button type="button" class="btn sm" id="close-${checkId}" data-act="close">Cancel</button></div></form></details>`
}

/** How many things are still to be fixed, and how many were since the sign-in began. */
export const tally = ({ things }: Pick<PageView, 'things'>) => ({
  fixed: things.filter(({ standing }) => standing === 'fixed').length,
  blocking: things.filter(({ standing }) => standing === 'blocking').length,
  open: things.filter(({ standing }) => standing !== 'fixed').length,
})
