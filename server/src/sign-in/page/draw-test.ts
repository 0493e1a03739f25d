import { type Html, html } from '../../http/page/html.ts'
import { identifyingWords } from './draw-identifying.ts'
import { drawNoAnswer } from './draw-no-answer.ts'
import { drawState } from './draw-state.ts'
import { mark, type Shape } from './marks.ts'
import type { Drawn, PageState, PageView, TestView } from './page-view.ts'
import { things } from './plain-words.ts'

type Tested = PageView & { test: TestView }
type Step = { name: string; words: Html | string }

export const isTest = (view: PageView): view is Tested => view.test !== null

/** How far a test is in each state: the step that it is at, and how that stands. */
const positions: Readonly<Partial<Record<PageState, readonly [step: number, shape: Shape]>>> = {
  identifying: [0, 'waiting'],
  unknown_person: [1, 'blocked'],
  looking: [2, 'running'],
  linking: [2, 'running'],
  no_answer: [2, 'none'],
  register: [3, 'asking'],
  confirm: [3, 'asking'],
  not_ready: [3, 'blocked'],
  ask_it: [3, 'asking'],
  awaiting_approval: [3, 'waiting'],
  denied: [3, 'blocked'],
  not_your_device: [3, 'blocked'],
  evaluating: [4, 'running'],
  unfinished: [4, 'none'],
  blocked: [4, 'blocked'],
  warning: [5, 'good'],
  passed: [5, 'good'],
}

/** What the script shows when the server or the browser stands in the way is no step of the test. */
const ofPageAlone: ReadonlySet<PageState> = new Set(['permission', 'fault', 'offline'])

/** The page of a test that an administrator makes of a connection: each step, and what came of it. */
export function drawTest(view: Tested): Drawn {
  const { state, applicationName, upstream } = view
  if (ofPageAlone.has(state)) return drawState[state](view)
  const position = positions[state]
  if (!position) return over(view)
  const name = upstream?.name ?? 'the identity provider'
  return {
    title: `Test of ${applicationName}`,
    tab: `Test of ${applicationName}`,
    lead: leadOf(view, position),
    content: html`${drawSteps(view, position)}${state === 'no_answer' && drawNoAnswer(view)}`,
    buttons: html`${state === 'identifying' && html`<form method="post" action="/signin/${view.id}/identify"><button class="btn p">${upstream?.failure ? 'Try again' : `Sign in with ${name}`}</button></form>`}
${back(view, state !== 'identifying')}`,
    small: `This is a test. It writes no sign-in log and adds no one, and ${applicationName} hears nothing.`,
  }
}

const back = ({ finishUrl }: PageView, isMain: boolean): Html =>
  html`<a class="btn${isMain && ' p'}" href="${finishUrl}">Back to the connection</a>`

const over = (view: Tested): Drawn => ({
  title: 'This test has ended',
  lead: 'A test ends after 15 minutes. Start another one in the console.',
  buttons: back(view, true),
})

function leadOf({ state, applicationName, upstream }: Tested, [step, shape]: readonly [number, Shape]): string {
  if (state === 'passed') return `It works: ${applicationName} would open.`
  if (state === 'warning') return `${applicationName} would open, after a reminder of what to fix.`
  if (state === 'identifying' && !upstream?.failure) return `First ${upstream?.name} signs you in.`
  if (shape === 'running') return `Step ${step + 1} of 6 is running.`
  return `It stops at step ${step + 1} of 6.`
}

function drawSteps(view: Tested, [at, shape]: readonly [number, Shape]): Html {
  const isFailed = view.state === 'identifying' && Boolean(view.upstream?.failure)
  const shapeOf = (index: number): Shape => {
    if (index === 4 && view.state === 'warning') return 'notified'
    if (index !== at) return index < at ? 'good' : 'waiting'
    return isFailed ? 'blocked' : shape
  }
  return html`<ol class="opts steps">${stepsOf(view, at).map(
    ({ name, words }, index) => html`<li>${mark(shapeOf(index))}<div><h2>${name}</h2><p>${words}</p></div></li>`,
  )}</ol>`
}

function stepsOf(view: Tested, at: number): readonly Step[] {
  const { applicationName, upstream, personName, deviceName, model, test } = view
  const done: readonly Step[] = [
    { name: `${upstream?.name ?? 'The identity provider'} signs the person in`, words: sayIdentity(view) },
    { name: 'Muster knows the person', words: personName ?? '' },
    {
      name: 'The Muster app on this computer answers',
      // The page names no device of someone else.
      words: [deviceName, model].filter((part) => part !== null).join(', ') || 'Yes.',
    },
    { name: 'The person may use this computer', words: 'Yes.' },
    { name: 'Its checks let it in', words: sayThings(view) },
    { name: `${applicationName} gets the answer`, words: sayClaims(test) },
  ]
  const isOver = at === done.length - 1
  return done.map((step, index) => {
    if (index < at || isOver) return step
    return { ...step, words: index === at ? sayStop(view) : 'Not reached yet.' }
  })
}

function sayIdentity({ mail, test }: Tested): Html {
  const { identity } = test
  return html`${mail}${identity && html`, known there as <code>${identity.subject}</code>`}.${
    identity && html` It says <code>${JSON.stringify(identity.said)}</code>`
  }`
}

const sayClaims = ({ claims }: TestView): Html =>
  html`With the scopes <code>openid email profile</code> its ID token says <code class="own-line">${JSON.stringify(claims, null, 1)}</code>`

const sayThings = ({ things: found }: Tested): string => {
  const open = found.filter(({ standing }) => standing !== 'fixed')
  return open.length === 0 ? 'Yes.' : `Yes, with ${things(open.length)} to fix: ${titlesOf(open)}.`
}

const titlesOf = (found: PageView['things']): string => found.map(({ title }) => title).join('; ')

/** Why the test is no further. */
function sayStop(view: Tested): Html | string {
  const { state, test, upstream, mail } = view
  const stops: Partial<Record<PageState, Html | string>> = {
    identifying: upstream?.failure ? html`${identifyingWords(view).title}. ${test.detail}` : 'Not yet.',
    unknown_person: `${mail ?? 'This account'}: ${unknownWords[test.unknown ?? 'person_unknown']}`,
    blocked: `No: ${titlesOf(view.things.filter(({ standing }) => standing === 'blocking'))}.`,
    not_ready: `Checks that registering requires do not pass: ${view.unmet.join('; ')}.`,
  }
  return stops[state] ?? html`A person would read “${drawState[state](view).title}”.`
}

const unknownWords: Readonly<Record<NonNullable<TestView['unknown']>, string>> = {
  person_unknown: 'nobody on the list has this address. Add the person, or let SCIM add them.',
  person_deprovisioned: 'the person left.',
  another_account:
    'the person with this address signs in with another account there. If this one is theirs, forget their accounts on their page.',
  would_be_added: 'the person would be added at their first sign-in. A test adds no one, so it ends here.',
}
