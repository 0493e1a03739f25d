import { type Html, html } from '../../http/page/html.ts'
import { detectionReasons, type PageReason } from '../reasons/detection-reasons.ts'
import { icon, mark } from './marks.ts'
import type { PageView } from './page-view.ts'
import { time } from './plain-words.ts'

type Reason = Omit<PageReason, 'sentence'> & { readonly sentence: (view: PageView) => Html | string }

/** Of a page that has not said why. */
const unsaid = 'agent_not_found'

/** It was heard of from here, and not lately. */
const stopped: Reason = {
  sentence: ({ heardOf }) =>
    html`It stopped on ${heardOf?.deviceName}: last heard of ${heardOf && time(heardOf.at, 'day')}.`,
  rest: 'Your browser and your network are fine.',
  wayOn: 'install',
}

/** The app runs, and the browser may ask: something between the two stops it, and a page cannot see what. */
const unreached: Reason = {
  sentence: ({ heardOf, browser }) =>
    html`It is running on ${heardOf?.deviceName}, but this page can’t reach it. An add-on or a proxy setting in ${browser.name} may stop the question.`,
  rest: 'Or this browser runs on another computer.',
  wayOn: 'other_way',
}

/** Where the browser itself is the reason. */
const ofSurroundings: Readonly<Record<PageView['surroundings'], Reason | undefined>> = {
  browser: undefined,
  phone: {
    sentence: ({ browser }) => `Muster doesn’t run on ${browser.system}.`,
    rest: 'Nothing is wrong with your account or your network.',
    wayOn: 'elsewhere',
  },
  web_view: {
    sentence: ({ kind }) => `This window is part of another app, and can’t ask the Muster app on this ${kind}.`,
    rest: 'Your network is fine.',
    wayOn: 'window',
  },
}

/** Nothing that the person could install or allow would help. */
const unmade: Reason = {
  sentence: ({ kind }) => `So this ${kind} can’t show which computer it is.`,
  rest: 'Nothing is wrong with your account, your browser or your network.',
  wayOn: 'elsewhere',
}

/** Whether no app can be here: none is made for the system, and none was ever heard of from here. */
const isUnmade = ({ systemsWithApp, heardOf, knownPort, reason }: PageView): boolean =>
  systemsWithApp !== null && heardOf === null && knownPort === null && !detectionReasons[reason ?? unsaid].hasAnswered

function reasonOf(view: PageView): Reason {
  const { reason, heardOf, surroundings } = view
  const own = reason === 'unsupported' ? ofSurroundings[surroundings] : undefined
  if (own) return own
  if (isUnmade(view)) return unmade
  if ((reason ?? unsaid) === unsaid && heardOf) return heardOf.isRunning ? unreached : stopped
  return detectionReasons[reason ?? unsaid].page
}

export function drawNoAnswerTitle(view: PageView): { title: string; tab: string } {
  const { reason, kind, browser } = view
  if (reason === 'several_devices') {
    return { title: `Muster can’t tell which ${kind} this is`, tab: 'Which computer is this?' }
  }
  if (reasonOf(view) === unmade) {
    return { title: `There’s no Muster app for ${browser.system} yet`, tab: 'No Muster app yet' }
  }
  return { title: `Muster isn’t answering on this ${kind}`, tab: 'Muster isn’t answering' }
}

export function drawNoAnswerLead(view: PageView): Html {
  const { sentence, rest } = reasonOf(view)
  return html`<span id="other-way" hidden>Muster didn’t answer that way either. </span><b>${sentence(view)}</b>${rest && ` ${rest}`}`
}

const option = (title: string, text: Html | string, button?: Html): Html =>
  html`<li><div><h2>${title}</h2><p>${text}</p></div>${button}</li>`

const otherWay = (isMain: boolean): Html =>
  html`<button type="button" class="btn${isMain && ' p'}" data-act="bounce">Use the other way</button>`

/** The ways on, the first of them for the reason at hand. */
export function drawNoAnswer(view: PageView): Html {
  const { wayOn } = reasonOf(view)
  const { kind, systemsWithApp, applicationName } = view
  const running = option(
    'Installed and running',
    'This tab goes to Muster and is back within a second.',
    otherWay(true),
  )
  const installed = option('Installed, but turned off', start(view))
  const missing = option('Not installed yet', 'Ask IT for the installer. Give them the help code below.')
  const repair = option(
    'It needs IT',
    view.reason === 'several_devices'
      ? 'Send them these details. Once one of these computers is registered to you, it counts.'
      : `Send these details to IT, so they can repair Muster on this ${kind}.`,
    html`<button type="button" class="btn p" data-act="copy">${icon('copy')}Copy details</button>`,
  )
  const options = {
    install: [missing, installed, running],
    other_way: [running, ...(view.reason === 'permission_denied' ? [allowing(view)] : [])],
    elsewhere: [
      option(
        systemsWithApp === null ? 'You have a computer' : `You have a computer with ${systemsWithApp}`,
        `Open ${applicationName} there.`,
      ),
      needsIt(true),
    ],
    window: [option('You have a browser', `Open ${applicationName} in it.`), running, needsIt(false)],
    repair: [
      repair,
      option(
        view.reason === 'several_devices' ? 'Only one answers now' : 'You just repaired it',
        'This page notices by itself.',
      ),
    ],
  }[wayOn]
  const waiting =
    view.reason === 'permission_denied'
      ? `This page continues by itself when ${view.browser.name} allows it.`
      : 'Still looking. This page continues by itself when Muster answers.'
  // Elsewhere nothing will.
  const live =
    wayOn !== 'elsewhere' && html`<p class="live" role="status">${mark('running')}<span>${waiting}</span></p>`
  return html`${live}
<ul class="opts">${options}</ul>${drawDetails()}`
}

const needsIt = (isMain: boolean): Html =>
  option(
    'You have to sign in here',
    'Ask IT if there is another way for you, and give them these details.',
    html`<button type="button" class="btn${isMain && ' p'}" data-act="copy">${icon('copy')}Copy details</button>`,
  )

const start = ({ kind }: PageView): string =>
  `It starts with this ${kind}. Restart this ${kind}, or ask IT to start it.`

const allowing = ({ browser, kind }: PageView): Html =>
  option(
    `You want ${browser.name} to allow it`,
    html`Choose the icon beside the address at the top, and allow this page to access other apps on this ${kind}. The page continues at once.`,
  )

/** What IT needs to find the cause; the script adds what only the browser knows. */
const drawDetails = (): Html =>
  html`<details class="diag" id="details"><summary>Details for IT</summary><pre data-details></pre>
<button type="button" class="btn sm" data-act="copy">${icon('copy')}Copy details</button></details>`
