import { type Html, html } from '../../http/page/html.ts'
import { drawBypassed } from './draw-code.ts'
import { drawIdentifying } from './draw-identifying.ts'
import { drawNoAnswer, drawNoAnswerLead, drawNoAnswerTitle } from './draw-no-answer.ts'
import { against, askIt, awaiting, confirm, denied, notReady, notYours, register } from './draw-registration.ts'
import { drawThings, tally } from './draw-things.ts'
import { icon } from './marks.ts'
import type { Drawn, PageState, PageView } from './page-view.ts'
import { counted, minutesBetween, possessive, things, time } from './plain-words.ts'

const copyButton = (isMain: boolean): Html =>
  html`<button type="button" class="btn${isMain && ' p'}" data-act="copy">${icon('copy')}Copy details</button>`

/** The words of each state. */
export const drawState: Readonly<Record<PageState, (view: PageView) => Drawn>> = {
  identifying: drawIdentifying,
  looking: (view) => (view.mayPrompt ? looking(view) : observing(view)),
  permission,
  no_answer: (view) => ({
    ...drawNoAnswerTitle(view),
    lead: drawNoAnswerLead(view),
    content: drawNoAnswer(view),
  }),
  unknown_person: unknownPerson,
  linking: ({ kind }) => ({
    title: 'Almost set up',
    lead: `Muster finishes its setup on this ${kind}. About 1 minute.`,
  }),
  evaluating: ({ deviceName, kind, runningChecks, applicationName }) => ({
    title: `Checking this ${kind}`,
    lead: html`Found <b>${deviceName}</b>. ${
      runningChecks > 0 ? `Running ${counted(runningChecks, 'check')}.` : `${applicationName} opens by itself.`
    }`,
  }),
  register,
  confirm,
  not_ready: (view) => notReady(view, recheck(view)),
  ask_it: askIt,
  awaiting_approval: awaiting,
  denied,
  not_your_device: notYours,
  unfinished: (view) => ({
    title: 'Some checks didn’t finish',
    lead: html`${view.isRechecking ? 'Checking again. ' : ''}They brought no result on <b>${view.deviceName}</b>. ${view.applicationName} opens by itself when they do.`,
    content:
      view.late !== null && html`<ul class="checks">${view.late.outdated.map((name) => html`<li>${name}</li>`)}</ul>`,
    buttons: recheck(view),
    small: 'Your browser and your network are fine. If it stays this way, give IT the help code below.',
  }),
  blocked,
  warning,
  passed: (view) => ({
    title: 'You’re in',
    lead: html`${view.things.length > 0 && 'Everything is fixed. '}${view.applicationName} is opening.${sayLate(view)}`,
    content: view.things.length > 0 && drawThings(view),
    buttons: openNow(view),
  }),
  observed: observing,
  bypassed: drawBypassed,
  keeps_asking: ({ id, applicationName, kind, organizationName }) => ({
    title: `${applicationName} keeps asking again`,
    lead: `We said yes 4 times in 2 minutes. This ${kind} is fine; the fault is between ${applicationName} and ${possessive(organizationName)} sign-in.`,
    buttons: html`${copyButton(true)}<form method="post" action="/signin/${id}/once-more"><button class="btn">Try once more</button></form>`,
  }),
  too_late: tooLate,
  ended: (view) => ({
    title: 'This sign-in has ended',
    lead: view.startUrl === null ? `Open ${view.applicationName} again.` : 'The next one is one click away.',
    buttons: openAgain(view),
  }),
  offline: ({ kind, applicationName }) => ({
    title: `This ${kind} is offline`,
    lead: html`This page continues by itself when the connection is back. <span data-retry></span>`,
    content: html`<ul class="opts"><li><div><h2>Nothing is lost</h2><p>Muster and ${applicationName} are not the cause. Connect to a network again.</p></div></li></ul>`,
    buttons: html`<button type="button" class="btn p" data-act="retry">Try again</button>`,
  }),
  fault: ({ kind }) => ({
    title: 'Something broke on our side',
    lead: html`Not on your ${kind}. <span data-retry>Trying again.</span>`,
    buttons: html`<button type="button" class="btn p" data-act="retry">Try again</button>${copyButton(false)}`,
  }),
}

const looking = ({ kind, applicationName }: PageView): Drawn => ({
  title: `Checking this ${kind}`,
  lead: html`<span data-slow="Still looking for Muster on this ${kind}.">${applicationName} opens by itself.</span>`,
})

function observing(view: PageView): Drawn {
  return {
    title: `Opening ${view.applicationName}`,
    tab: `Opening ${view.applicationName}`,
    lead: html`${view.isPaused ? `${view.organizationName} has paused computer checks for now.` : `${view.organizationName} is trying out computer checks. They can’t stop you yet.`} <button type="button" class="lk" popovertarget="checked">What is checked</button>`,
    buttons: view.state === 'observed' && openNow(view),
  }
}

function permission({ applicationName, browser, kind, address }: PageView): Drawn {
  const question = `${browser.name}’s question: ${address} wants to access other apps and services on this device. Block or Allow.`
  return {
    title: `${browser.name} will ask you once`,
    tab: `${browser.name} will ask you once`,
    lead: `To open ${applicationName}, this page checks in with the Muster app on this ${kind}. ${browser.name} wants your OK first.`,
    content: html`<figure class="ask"><div class="box" role="img" aria-label="${question}"><p class="sb">${address} wants to</p><p>${icon('laptop')}Access other apps and services on this device</p><div class="bb"><span>Block</span><span class="yes">Allow</span></div></div>
<figcaption>Choose <b>Allow</b>.<p>Here it means one app: Muster. It says which ${kind} this is and who is logged in, nothing about your files or browsing.</p></figcaption></figure>`,
    buttons: html`<button type="button" class="btn p" data-act="allow">Continue, then choose Allow</button><button type="button" class="btn" data-act="bounce">Use the other way</button>`,
    small: 'The other way needs no OK: this tab goes to the Muster app and is back within a second.',
  }
}

function unknownPerson(view: PageView): Drawn {
  const { mail, organizationName, applicationName } = view
  return {
    title: `This account isn’t on ${possessive(organizationName)} list`,
    lead: html`${mail !== null && html`You signed in as <b>${mail}</b>. `}Only people that ${organizationName} has added can open ${applicationName}.`,
    content: html`<ul class="opts"><li><div><h2>You have another work account</h2><p>Sign in again and choose that one.</p></div>${against(view, true)}</li>
<li><div><h2>You should have access</h2><p>Send these details to IT, so they can add you.</p></div>${copyButton(false)}</li></ul>`,
  }
}

function blocked(view: PageView): Drawn {
  const { applicationName, deviceName, isRechecking, checkedAt, waitsUntil } = view
  const { fixed, blocking } = tally(view)
  const all = fixed + blocking
  const whenFixed = all === 1 ? 'it is fixed' : `${all === 2 ? 'both' : `all ${all}`} are fixed`
  const slow = isRechecking && html` <span class="late">Still checking. It takes a minute at most.</span>`
  const where = html`On <b>${deviceName}</b>. ${applicationName} opens by itself when ${whenFixed}.${sayLate(view)}${slow}`
  return {
    title: isRechecking ? checkingAgain(fixed, blocking) : `Fix ${things(blocking)} to open ${applicationName}`,
    tab: isRechecking ? 'Checking again' : `Fix ${things(blocking)}`,
    lead: fixed > 0 && !isRechecking ? html`${fixed} fixed, ${blocking} to go. ${where}` : where,
    content: html`${drawThings(view)}${drawBar(view, checkedAt)}`,
    small: html`<span data-deadline="${applicationName} stops waiting at">Need longer than ${time(waitsUntil)}? Keep going. Your fixes count, and ${applicationName} starts again with one click.</span>`,
  }
}

function checkingAgain(fixed: number, left: number): string {
  if (fixed === 0) return 'Checking again'
  return `${fixed} fixed, checking the other${left > 1 ? ` ${left}` : ''}`
}

const drawBar = (view: PageView, checkedAt: string | null): Html =>
  html`<div class="bar2">${recheck(view)}${
    checkedAt !== null &&
    !view.isRechecking &&
    html`<p class="t3 sm">Checked at ${time(checkedAt)}. Coming back to this tab checks too.</p>`
  }</div>`

const recheck = ({ id, isRechecking, state }: PageView): Html =>
  html`<form method="post" action="/signin/${id}/recheck"><button class="btn${state !== 'warning' && ' p'}" id="recheck"${isRechecking && html` aria-disabled="true"`}>${icon('again')}${
    isRechecking ? 'Checking…' : 'Check again'
  }</button></form>`

function warning(view: PageView): Drawn {
  const { applicationName, kind, isRechecking, finishUrl } = view
  const { open } = tally(view)
  const blocksAt = view.things.find(({ standing }) => standing === 'later')?.blocksAt
  const fix = open === 1 ? 'Fix it now' : 'Fix them now'
  return {
    title: blocksAt ? html`Fix ${things(open)} by ${time(blocksAt, 'day')}` : `${things(open)} to fix when you can`,
    tab: `Fix ${things(open)}`,
    lead: html`${
      blocksAt
        ? `After that, this ${kind} can’t open ${applicationName} or your other work apps until ${open === 1 ? 'it’s' : 'they’re'} fixed.`
        : `${open === 1 ? 'It doesn’t' : 'They don’t'} block you${view.things.some(({ isHeld }) => isHeld) ? ' for now. IT decides whether that changes' : ''}.`
    }${sayLate(view)}`,
    content: drawThings(view),
    buttons: html`<a class="btn p" href="${finishUrl}">Continue to ${applicationName}</a>
<button type="button" class="btn first" data-act="open-things">${fix}</button><div class="then">${recheck(view)}</div>`,
    small: isRechecking && 'Checking again.',
  }
}

/** That earlier results count where checks brought none in time. */
const sayLate = ({ late }: PageView): Html | false =>
  late !== null &&
  late.resultsFrom !== null &&
  html` ${counted(late.count, 'check')} didn’t finish. Results from ${time(late.resultsFrom, 'day')} count.`

/** After three seconds, for when the browser has not gone by itself. */
const openNow = ({ applicationName, finishUrl }: PageView): Html =>
  html`<a class="btn late" href="${finishUrl}">Open ${applicationName} now</a>`

const openAgain = ({ applicationName, startUrl }: PageView): Html | false =>
  startUrl !== null && html`<a class="btn p" href="${startUrl}">Open ${applicationName} again</a>`

function tooLate(view: PageView): Drawn {
  const { applicationName, kind, deviceName, startedAt, waitsUntil, startUrl } = view
  const { blocking } = tally(view)
  const saved =
    deviceName === null
      ? `Open ${applicationName} again to continue.`
      : blocking === 0
        ? `Your fixes are saved and this ${kind} is all good, so the next try takes seconds.`
        : `Your fixes are saved; ${blocking} to go.`
  const again = startUrl === null && deviceName !== null ? ` Open ${applicationName} again.` : ''
  return {
    title: `${applicationName} stopped waiting`,
    tab: `${applicationName} stopped waiting`,
    lead: `It only waits ${counted(minutesBetween(startedAt, waitsUntil), 'minute')}. ${saved}${again}`,
    content: blocking > 0 && drawThings(view),
    buttons: openAgain(view),
  }
}
