import { type Html, html } from '../../http/page/html.ts'
import { drawThings } from './draw-things.ts'
import { mark } from './marks.ts'
import type { Drawn, PageView } from './page-view.ts'
import { things, time } from './plain-words.ts'

const live = (text: string): Html => html`<p class="live" role="status">${mark('running')}<span>${text}</span></p>`

/** To sign in as someone else: where the application begins, else back to it without an answer. */
export const against = ({ id, startUrl }: PageView, isMain: boolean): Html =>
  startUrl === null
    ? html`<form method="post" action="/signin/${id}/cancel"><button class="btn${isMain && ' p'}">Use another account</button></form>`
    : html`<a class="btn${isMain && ' p'}" href="${startUrl}">Use another account</a>`

const whereSerial = {
  Mac: ' (Apple menu, About This Mac)',
  PC: ' (on its underside)',
  computer: ' (on its underside)',
  device: '',
} as const

function facts({ deviceName, model, serialEnd, personName, mail, kind }: PageView, whose = 'Registers to'): Html {
  const fact = (name: string, value: Html | string | null) => value !== null && html`<dt>${name}</dt><dd>${value}</dd>`
  const who = [personName, mail].filter((part) => part !== null).join(', ')
  const serial = serialEnd !== null && html`ends in <b>${serialEnd}</b><span class="t3">${whereSerial[kind]}</span>`
  return html`<dl class="facts">${fact('Name', html`<b>${deviceName}</b>`)}${fact('Model', model)}${fact('Serial number', serial || null)}${fact(whose, who === '' ? null : who)}</dl>`
}

const checks = ({ kind }: PageView): Html =>
  html`<ul class="ticks"><li>IT sees that this ${kind} is yours and if it passes its checks. <button type="button" class="lk" popovertarget="checked">What is checked</button></li></ul>`

/** The account stands in the title: someone else's sign-in, opened in this browser, is seen to be that. */
export function register(view: PageView): Drawn {
  const { id, kind, mail } = view
  return {
    title: mail === null ? `Register this ${kind} to you?` : `Register this ${kind} to ${mail}?`,
    tab: `Register this ${kind}?`,
    lead: 'Once. Then your work apps open on it.',
    content: html`${facts(view)}${checks(view)}`,
    buttons: html`<form method="post" action="/signin/${id}/register"><button class="btn p" id="register">Yes, register it to me</button></form>
${notMine(view)}`,
  }
}

const notMine = (view: PageView): Html => {
  const { applicationName } = view
  return html`<button type="button" class="btn" popovertarget="not-mine">No, it isn’t mine</button>
<section popover id="not-mine" class="pop" aria-labelledby="not-mine-title"><h2 id="not-mine-title">Open ${applicationName} on your own computer</h2>
<p>Nothing was registered. If you have no other computer, ask IT: they can register this one to you or let you share it.</p>
<button type="button" class="btn" popovertarget="not-mine" popovertargetaction="hide">Back</button></section>`
}

/** A registration in doubt that its owner may settle: the key on the device is the one that it had before. */
export function confirm(view: PageView): Drawn {
  const { id, kind, mail } = view
  return {
    title: `Is this still your ${kind}?`,
    lead: html`Its setup has changed, so its registration${mail !== null && html` to <b>${mail}</b>`} is on hold. Confirm it once, and your work apps open again.`,
    content: facts(view, 'Registered to'),
    buttons: html`<form method="post" action="/signin/${id}/register"><button class="btn p" id="confirm">Yes, it’s still mine</button></form>
${notMine(view)}`,
  }
}

const form = ({ id }: PageView, label: string, help: string): Html =>
  html`<form method="post" action="/signin/${id}/register" class="list"><label class="label" for="message">${label}</label>
<textarea class="field" id="message" name="message" rows="2" maxlength="5000" required aria-describedby="message-help"></textarea>
<p class="help" id="message-help">${help}</p>
<div class="go"><button class="btn p" id="send">Send to IT</button></div></form>`

const waiting = ({ applicationName }: PageView): string =>
  `${applicationName} opens by itself when they answer in time; else open it again once IT has answered.`

/** What has to be fixed before a first device is registered. */
export const notReady = (view: PageView, again: Html): Drawn => ({
  title: `Fix ${things(view.unmet.length)} to register this ${view.kind}`,
  lead: html`${view.organizationName} registers a ${view.kind} once these checks pass on it. This page continues by itself.`,
  content: html`${facts(view)}<ul class="checks">${view.unmet.map((name) => html`<li>${name}</li>`)}</ul>${drawThings(view)}`,
  buttons: again,
  small: 'If you can’t fix them, give IT the help code below: IT can register this computer to you.',
})

const askLeads = {
  ended: () => 'IT ended its registration to you. Ask for it here, in a sentence.',
  several_people: ({ applicationName }: PageView) =>
    `More than one person is logged in on it. Log the others out and open ${applicationName} again, or ask for it here, in a sentence.`,
  multi_session: () => 'Several people can use it at the same time. Ask for it here, in a sentence.',
  none: () => 'Ask for it here, in a sentence.',
} as const

export function askIt(view: PageView): Drawn {
  const { applicationName, kind } = view
  return {
    title: `IT has to approve this ${kind}`,
    lead: `${askLeads[view.whyAsk ?? 'none'](view)} ${applicationName} opens when they answer.`,
    content: form(view, `Why do you need this ${kind}?`, 'IT reads this.'),
  }
}

export function awaiting(view: PageView): Drawn {
  const { id, request, applicationName, waitsUntil, kind } = view
  return {
    title: `IT has to approve this ${kind}`,
    tab: 'Waiting for approval',
    lead: request === null ? 'Waiting for IT.' : html`Waiting for IT since ${time(request.at, 'day')}.`,
    content: html`${request && html`<p class="say">“${request.message}”</p>`}${live('Waiting. This page continues by itself when they answer.')}`,
    buttons: html`<form method="post" action="/signin/${id}/withdraw-registration"><button class="btn" id="withdraw">Withdraw the request</button></form>`,
    small: html`<span data-deadline="${applicationName} stops waiting at">Not answered by ${time(waitsUntil)}? Close this page and open ${applicationName} again once the ${kind} is approved.</span>`,
  }
}

export function denied(view: PageView): Drawn {
  const { request, applicationName } = view
  return {
    title: `IT said no to this ${view.kind}`,
    lead: request === null ? `${applicationName} stays closed on it.` : html`They answered ${time(request.at, 'day')}.`,
    content: html`${request?.words && html`<p class="say">“${request.words}”</p>`}<ul class="opts"><li><div><h2>You have your own computer</h2><p>Open ${applicationName} there.</p></div></li>
<li><div><h2>It has changed since</h2><p>Ask again, and say what is different.</p></div></li></ul>${form(view, `Why do you need this ${view.kind}?`, waiting(view))}`,
  }
}

export function notYours(view: PageView): Drawn {
  const { applicationName, kind, personName } = view
  return {
    title: `This ${kind} is registered to someone else`,
    lead: `Only that person can open ${applicationName} on it.`,
    content: html`<ul class="opts"><li><div><h2>You have your own computer</h2><p>Open ${applicationName} there.</p></div></li>
<li class="wraps"><div><h2>It’s yours now, or you share it</h2><p>IT can move it to you or let you both use it.</p></div>
<details class="asking" id="asking"><summary class="btn p" id="ask">Ask IT</summary>${form(view, `Why do you need this ${kind}?`, waiting(view))}</details></li>
<li><div><h2>${personName === null ? 'You have another account' : `You’re not ${personName}`}</h2><p>Sign in with your own account.</p></div>${against(view, false)}</li></ul>`,
  }
}
