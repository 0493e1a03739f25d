import type { SessionState } from '../../base/db/schema.ts'
import type { Html } from '../../http/page/html.ts'
import type { PageReasonName } from '../reasons/detection-reasons.ts'

export type DeviceKind = 'Mac' | 'PC' | 'computer' | 'device'

/** The issues of one check: one thing to fix. */
export type ThingView = {
  checkId: string
  issueIds: readonly string[]
  title: string
  /** What holds once it is fixed. */
  goodTitle: string
  standing: 'blocking' | 'later' | 'advice' | 'fixed'
  /** Whether IT has yet to decide that it blocks. */
  isHeld: boolean
  why: Html | null
  fix: FixView | null
  rows: RowsView | null
  /** Failing rows beyond those that are shown. */
  more: number
  blocksAt: string | null
  fixedAt: string | null
  isChecking: boolean
  /** When a check again found it still there. */
  stillAt: string | null
  snooze: SnoozeView
  exemption: ExemptionView
}

export type FixView = {
  /** The system that the steps are for, where the check has several. */
  system: string | null
  steps: Html
  others: readonly { system: string; steps: Html }[]
}
export type RowsView = { columns: readonly string[]; rows: readonly (readonly string[])[] }
export type SnoozeView =
  | { kind: 'none' | 'offered' }
  | { kind: 'running'; until: string }
  | { kind: 'spent'; againAt: string }
export type ExemptionView =
  | { kind: 'none' | 'offered' }
  | { kind: 'asked'; requestId: string; at: string }
  | { kind: 'refused'; words: string }

/** A code from IT: whether one waits for the person, how many tries are left after a wrong one, and what was accepted. */
export type CodeView = { isGiven: boolean; triesLeft: number | null; reason: string | null; endsAt: string | null }

export type PageState =
  | SessionState
  // Of the page alone.
  | 'permission'
  | 'no_answer'
  | 'too_late'
  | 'fault'
  | 'offline'

/** What the page of a sign-in shows. Before asserted evidence nothing in it is known to the server alone. */
export type PageView = {
  id: string
  revision: number
  helpCode: string
  /** The host of the page. */
  address: string
  organizationName: string
  applicationName: string
  kind: DeviceKind
  browser: { name: string; version: string; system: string }
  /** Where the page is shown: Muster runs on no phone, and a window within another app may reach no other app. */
  surroundings: 'browser' | 'phone' | 'web_view'
  /** Where nothing answers and its system has no Muster app yet, those that have one, by name. */
  systemsWithApp: string | null
  state: PageState
  /** Why no device was found; null where the page has not said so. */
  reason: PageReasonName | null
  personName: string | null
  mail: string | null
  deviceName: string | null
  model: string | null
  serialEnd: string | null
  /** The devices that answered where more than one did, by name. */
  answeredDevices: readonly string[]
  /** Why the device is not registered by a click, where that may surprise. */
  whyAsk: 'ended' | 'several_people' | 'multi_session' | null
  things: readonly ThingView[]
  /** What is checked on this kind of computer; null when the page may not say. */
  checkNames: readonly string[] | null
  runningChecks: number
  /**
   * Checks that were waited for and brought no result: how many, those whose last result no longer counts by name, and
   * since when the oldest counts of the others.
   */
  late: { count: number; outdated: readonly string[]; resultsFrom: string | null } | null
  /** Checks that have to pass before the computer is registered, by name. */
  unmet: readonly string[]
  /** Where the person signs in first, and why they have to do it again. */
  upstream: { name: string; failure: string | null } | null
  /** The person's only device of this kind: when its Muster app was last heard of, and whether that was just now. */
  heardOf: { deviceName: string; at: string; isRunning: boolean } | null
  request: { at: string; message: string; words: string | null } | null
  /** Null where no code from IT may be entered. */
  code: CodeView | null
  isRechecking: boolean
  checkedAt: string | null
  startUrl: string | null
  startedAt: string
  waitsUntil: string
  now: string
  finishUrl: string
  ports: readonly number[]
  /** In observe mode the page asks the browser for nothing. */
  mayPrompt: boolean
  /** The caller has other ways to confirm who signs in, which it offers when it is told no. */
  isFactor: boolean
  /** The connection lets people in without a check for a while. */
  isPaused: boolean
  /** The browser asks nothing, as the organization says. */
  isManagedBrowser: boolean
  /** Where this browser reached an agent before. */
  knownPort: number | null
  /** The same, when that agent was heard of just now. */
  bouncePort: number | null
  /** The application has its answer, and takes no other. */
  isAnswered: boolean
  /** Null of the sign-in of a person. */
  test: TestView | null
}

/** What an administrator who tries a connection reads beside. */
export type TestView = {
  /** Whom the upstream has named, and what else it said that is passed on. */
  identity: { subject: string; said: object } | null
  /** Why its last answer named nobody. */
  detail: string | null
  /** Why nobody on the list is the one whom it has named. */
  unknown: 'person_unknown' | 'person_deprovisioned' | 'another_account' | 'would_be_added' | null
  /** What the application would hear. */
  claims: object | null
}

/** The parts of a state's page below the way. */
export type Drawn = {
  title: Html | string
  /** In the tab of the browser, where no time can be rewritten. */
  tab?: string
  lead: Html | string
  content?: Html | false
  buttons?: Html | false
  small?: Html | string | false
}

export type PageAssets = {
  script: string
  modules: readonly string[]
  style: string
  font: string
  /** Said on top of every page. */
  notice?: string | undefined
}
