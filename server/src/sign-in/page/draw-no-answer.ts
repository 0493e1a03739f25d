import { type Html, html } from '../../http/page/html.ts'
import { icon, mark } from './marks.ts'
import type { PageView } from './page-view.ts'
import { time } from './plain-words.ts'

type WayOn = 'other_way' | 'repair' | 'install' | 'elsewhere' | 'window'
type Reason = { sentence: (view: PageView) => Html | string; rest?: string; wayOn: WayOn }

/** Why nothing answered, and which way on comes first. */
const reasons: Readonly<Record<string, Reason>> = {
  agent_not_found: {
    sentence: ({ heardOf }) =>
      heardOf === null
        ? 'It’s probably not installed, or turned off.'
        : html`It stopped on ${heardOf.deviceName}: last heard of ${time(heardOf.at, 'day')}.`,
    rest: 'Your browser and your network are fine.',
    wayOn: 'install',
  },
  permission_denied: {
    sentence: ({ browser }) => `${browser.name} is blocking it: Allow wasn’t chosen.`,
    rest: 'The Muster app and your network are fine.',
    wayOn: 'other_way',
  },
  other_profile: {
    sentence: ({ browser }) => `It answers in your other ${browser.name} profile.`,
    wayOn: 'other_way',
  },
  ad_blocker: {
    sentence: ({ browser }) => `An add-on in ${browser.name} stops the question.`,
    rest: 'The Muster app and your network are fine.',
    wayOn: 'other_way',
  },
  proxy: {
    sentence: ({ kind }) => `A proxy setting sends the question away from this ${kind}.`,
    wayOn: 'other_way',
  },
  unsupported: {
    sentence: ({ browser, kind }) => `${browser.name} can’t ask apps on this ${kind}.`,
    rest: 'The other way works in every browser.',
    wayOn: 'other_way',
  },
  proof_invalid: {
    sentence: () => 'Muster answered, but needs a repair.',
    rest: 'Your browser and your network are fine.',
    wayOn: 'repair',
  },
  proof_relayed: {
    sentence: ({ browser }) => `Muster was asked by another program, not by ${browser.name}.`,
    rest: 'Use a browser on the computer that Muster runs on.',
    wayOn: 'repair',
  },
  several_devices: {
    sentence: ({ answeredDevices }) =>
      answeredDevices.length === 0
        ? 'More than one computer answered.'
        : `More than one computer answered: ${answeredDevices.join(', ')}.`,
    rest: 'A virtual machine and WSL count as computers of their own. Turn Muster off on the others, or ask IT to register this one to you.',
    wayOn: 'repair',
  },
  agent_outdated: {
    sentence: () => 'Muster answered, but needs an update.',
    rest: 'Your browser and your network are fine.',
    wayOn: 'repair',
  },
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

/** What goes wrong on the way to an app. The other reasons say that one has answered. */
const withoutAnswer = ['agent_not_found', 'permission_denied', 'ad_blocker', 'proxy', 'unsupported']

/** Whether no app can be here: none is made for the system, and none was ever heard of from here. */
const isUnmade = ({ systemsWithApp, heardOf, knownPort, reason }: PageView): boolean =>
  systemsWithApp !== null &&
  heardOf === null &&
  knownPort === null &&
  withoutAnswer.includes(reason ?? 'agent_not_found')

function reasonOf(view: PageView): Reason {
  const { reason, heardOf, surroundings } = view
  const own = reason === 'unsupported' ? ofSurroundings[surroundings] : undefined
  if (own) return own
  if (isUnmade(view)) return unmade
  if (reason === 'agent_not_found' && heardOf?.isRunning) return unreached
  return reasons[reason !== null && Object.hasOwn(reasons, reason) ? reason : 'agent_not_found'] as Reason
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
