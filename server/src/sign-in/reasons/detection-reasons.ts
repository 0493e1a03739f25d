import type { SignInReason } from '@muster/contract/sign-in-reasons.ts'
import type { DetectionReason } from '../../base/db/schema.ts'

/** What the page says a reason with. */
export type Told = {
  readonly browser: { readonly name: string; readonly system: string }
  /** "Mac". */
  readonly kind: string
  /** The devices that answered where more than one did, by name. */
  readonly answeredDevices: readonly string[]
}

/** What the page offers first; `repair` is for IT to do. */
export type WayOn = 'other_way' | 'repair' | 'install' | 'elsewhere' | 'window'

/** What the page says, to the person. */
export type PageReason = {
  readonly sentence: (told: Told) => string
  /** What is all right. */
  readonly rest?: string
  readonly wayOn: WayOn
}

/** Those that the page has no state of its own for. */
export type PageReasonName = Exclude<DetectionReason, 'linking'>

type Row = {
  /** What the log of the sign-in says, to IT. */
  readonly log: string
  /** What it is called in the log, the console and the metrics. */
  readonly name: SignInReason
  /** Whether an app has answered: then it is installed here, whatever the browser says. */
  readonly hasAnswered: boolean
}

const appIsFine = 'The Muster app and your network are fine.'
const browserIsFine = 'Your browser and your network are fine.'

/** Why the page of a sign-in has found no device: all that depends on the reason. CONTRIBUTING says how to add one. */
export const detectionReasons: Readonly<Record<PageReasonName, Row & { readonly page: PageReason }>> &
  Readonly<Record<DetectionReason, Row>> = {
  agent_not_found: {
    log: 'No agent answered.',
    name: 'agent_not_found',
    hasAnswered: false,
    page: {
      sentence: () => 'It’s probably not installed, or turned off.',
      rest: browserIsFine,
      wayOn: 'install',
    },
  },
  permission_denied: {
    log: 'The browser did not allow the page to ask the agent.',
    name: 'agent_permission_denied',
    hasAnswered: false,
    page: {
      sentence: ({ browser }) => `${browser.name} is blocking it: Allow wasn’t chosen.`,
      rest: appIsFine,
      wayOn: 'other_way',
    },
  },
  other_profile: {
    log: 'The agent answered another profile of the browser.',
    name: 'agent_not_found',
    hasAnswered: true,
    page: {
      sentence: ({ browser }) => `It answers in your other ${browser.name} profile.`,
      wayOn: 'other_way',
    },
  },
  ad_blocker: {
    log: 'An extension of the browser stops the question to the agent.',
    name: 'agent_not_found',
    hasAnswered: false,
    page: {
      sentence: ({ browser }) => `An add-on in ${browser.name} stops the question.`,
      rest: appIsFine,
      wayOn: 'other_way',
    },
  },
  proxy: {
    log: 'A proxy takes the question to the agent elsewhere.',
    name: 'agent_not_found',
    hasAnswered: false,
    page: {
      sentence: ({ kind }) => `A proxy setting sends the question away from this ${kind}.`,
      wayOn: 'other_way',
    },
  },
  unsupported: {
    log: 'The browser cannot ask the agent.',
    name: 'agent_not_found',
    hasAnswered: false,
    page: {
      sentence: ({ browser, kind }) => `${browser.name} can’t ask apps on this ${kind}.`,
      rest: 'The other way works in every browser.',
      wayOn: 'other_way',
    },
  },
  agent_outdated: {
    log: 'The agent is too old.',
    name: 'agent_outdated',
    hasAnswered: true,
    page: {
      sentence: () => 'Muster answered, but needs an update.',
      rest: browserIsFine,
      wayOn: 'repair',
    },
  },
  proof_invalid: {
    log: 'The proof was refused.',
    name: 'proof_invalid',
    hasAnswered: true,
    page: {
      sentence: () => 'Muster answered, but needs a repair.',
      rest: browserIsFine,
      wayOn: 'repair',
    },
  },
  proof_relayed: {
    log: 'A relay asked the agent in place of the browser.',
    name: 'proof_relayed',
    hasAnswered: true,
    page: {
      sentence: ({ browser }) => `Muster was asked by another program, not by ${browser.name}.`,
      rest: 'Use a browser on the computer that Muster runs on.',
      wayOn: 'repair',
    },
  },
  several_devices: {
    log: 'More than one device answered.',
    name: 'several_devices',
    hasAnswered: true,
    page: {
      sentence: ({ answeredDevices: names }) =>
        names.length === 0
          ? 'More than one computer answered.'
          : `More than one computer answered: ${names.join(', ')}.`,
      rest: 'A virtual machine and WSL count as computers of their own. Turn Muster off on the others, or ask IT to register this one to you.',
      wayOn: 'repair',
    },
  },
  linking: {
    log: 'The agent is not linked to its device yet.',
    name: 'agent_not_linked',
    hasAnswered: true,
  },
}

export const detectionReasonNames = Object.keys(detectionReasons) as DetectionReason[]
