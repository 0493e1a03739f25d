import { dayMs } from '../../base/time.ts'
import { type Html, html } from '../../http/page/html.ts'
import { mark, type Shape } from './marks.ts'
import type { PageState, PageView } from './page-view.ts'
import { counted, time } from './plain-words.ts'

type Station = { shape: Shape; word: Html | string }
type Way = { person?: Station; device: Station; app?: Station }

const signedIn: Station = { shape: 'good', word: 'Signed in' }
const closed: Station = { shape: 'waiting', word: 'Not opened' }
const unchecked: Station = { shape: 'waiting', word: 'Not checked' }
const opening: Station = { shape: 'good', word: 'Opening…' }
const allGood: Station = { shape: 'good', word: 'All good' }
const checking: Station = { shape: 'running', word: 'Checking…' }
const at = (shape: Shape, word: string) => (): Way => ({ device: { shape, word } })

const ways: Readonly<Record<PageState, (view: PageView) => Way>> = {
  identifying: ({ upstream }) => ({
    person: { shape: upstream?.failure ? 'asking' : 'waiting', word: 'Not signed in' },
    device: unchecked,
    app: { shape: 'waiting', word: 'Waiting' },
  }),
  looking: ({ mayPrompt }) =>
    mayPrompt
      ? { device: checking, app: { shape: 'waiting', word: 'Waiting' } }
      : { device: { shape: 'running', word: 'Trial only' }, app: { shape: 'waiting', word: 'Opening…' } },
  permission: at('asking', 'Needs your OK'),
  no_answer: ({ reason }) => ({
    device: { shape: 'none', word: reason === 'several_devices' ? 'Not clear which' : 'No answer' },
  }),
  unknown_person: () => ({ person: { shape: 'blocked', word: 'Not on the list' }, device: unchecked, app: closed }),
  linking: at('running', 'Setting up…'),
  evaluating: () => ({ device: checking }),
  register: at('asking', 'Not registered'),
  confirm: at('asking', 'Not confirmed'),
  not_ready: at('blocked', 'Not ready'),
  ask_it: at('asking', 'Not registered'),
  awaiting_approval: at('waiting', 'Waiting for IT'),
  denied: () => ({ device: { shape: 'none', word: 'Not approved' }, app: closed }),
  not_your_device: () => ({ device: { shape: 'blocked', word: 'Someone else’s' }, app: closed }),
  unfinished: ({ isRechecking }) => ({ device: isRechecking ? checking : { shape: 'none', word: 'Not finished' } }),
  blocked: ({ isRechecking }) => ({ device: isRechecking ? checking : { shape: 'blocked', word: 'Blocked' } }),
  warning: (view) => ({ device: warned(view), app: { shape: 'waiting', word: 'Ready' } }),
  passed: () => ({ device: allGood, app: opening }),
  observed: ({ isPaused }) => ({
    device: { shape: 'running', word: isPaused ? 'Not checked' : 'Trial only' },
    app: opening,
  }),
  bypassed: () => ({ device: { shape: 'none', word: 'Not checked' }, app: { shape: 'good', word: 'Ready' } }),
  keeps_asking: () => ({ device: allGood, app: { shape: 'none', word: 'Keeps asking' } }),
  too_late: (view) => ({
    device: lateDevice(view),
    app: { shape: 'none', word: html`Stopped at ${time(view.waitsUntil)}` },
  }),
  ended: ({ isAnswered }) =>
    isAnswered
      ? { device: { shape: 'good', word: 'Checked' }, app: { shape: 'good', word: 'Answered' } }
      : { device: unchecked, app: closed },
  fault: () => ({ device: unchecked }),
  offline: at('none', 'Offline'),
}

function warned({ things, now }: PageView): Station {
  const blocksAt = things.find(({ standing }) => standing === 'later')?.blocksAt
  if (!blocksAt) return { shape: 'notified', word: 'Fix when you can' }
  const days = Math.floor((Date.parse(blocksAt) - Date.parse(now)) / dayMs)
  return { shape: 'will', word: days < 1 ? html`Until ${time(blocksAt, 'day')}` : `${counted(days, 'day')} left` }
}

function lateDevice({ things, deviceName }: PageView): Station {
  if (deviceName === null) return unchecked
  return things.some(({ standing }) => standing === 'blocking') ? { shape: 'blocked', word: 'Blocked' } : allGood
}

/** The three stations: you, this computer, the app. The line after one is what its station lets through. */
export function drawWay(view: PageView): Html {
  const way = ways[view.state](view)
  const stations: readonly [string, Station][] = [
    [view.personName ?? view.mail ?? 'You', way.person ?? signedIn],
    [view.deviceName ?? `This ${view.kind}`, way.device],
    [view.applicationName, way.app ?? { shape: 'waiting', word: html`Waits until ${time(view.waitsUntil)}` }],
  ]
  return html`<ol class="way" aria-label="Your way to the app">${stations.map(
    ([name, { shape, word }]) =>
      html`<li class="w-${shape}">${mark(shape)}<b title="${name}">${name}</b><span>${word}</span></li>`,
  )}</ol>`
}
