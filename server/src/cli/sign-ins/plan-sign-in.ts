import { choose, fractionOf, hashOf } from '@muster/agent/simulate/seeded.ts'
import type { StoredAuthState } from '../../base/db/schema.ts'
import { plusMs } from '../../base/time.ts'
import type { NewSession } from '../../sign-in/auth-logs/start-session.ts'

/** Someone who could sign in, and the device they would do it with. */
export type Candidate = {
  personId: string
  name: string
  device: { id: string; name: string; authState: StoredAuthState } | null
}

type Step =
  | { at: string; kind: 'recognize' | 'show_issues' | 'finish' }
  | { at: string; kind: 'event'; type: EventType; description: string }

type EventType =
  | 'sign_in_attempt'
  | 'agent_detection_success'
  | 'agent_detection_failure'
  | 'agent_download_request'
  | 'device_blocked'
  | 'issue_viewed'
  | 'device_rechecked'

export type SignInPlan = {
  session: Pick<NewSession, 'ipAddress' | 'country' | 'city' | 'browser' | 'application' | 'now'>
  steps: Step[]
}

type AtLeastOne<T> = readonly [T, ...T[]]

// Blocks of addresses that documentation may use: RFC 5737 and RFC 3849.
const places: AtLeastOne<{ network: string; country: string; city: string }> = [
  { network: '192.0.2.', country: 'Sweden', city: 'Uppsala' },
  { network: '198.51.100.', country: 'Germany', city: 'Leipzig' },
  { network: '203.0.113.', country: 'United States', city: 'Portland' },
  { network: '2001:db8::', country: 'Japan', city: 'Kobe' },
]

const browsers: AtLeastOne<NewSession['browser']> = [
  { name: 'Chrome', version: '142.0.0.0', userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/142.0.0.0 Safari/537.36' },
  { name: 'Firefox', version: '145.0', userAgent: 'Mozilla/5.0 (Windows NT 10.0; rv:145.0) Firefox/145.0' },
  { name: 'Safari', version: '26.1', userAgent: 'Mozilla/5.0 (Macintosh) Version/26.1 Safari/605.1.15' },
]

const applications: AtLeastOne<NonNullable<NewSession['application']>> = [
  { id: 'simulated-mail', name: 'Mail' },
  { id: 'simulated-payroll', name: 'Payroll' },
  { id: 'simulated-source', name: 'Source code' },
]

const shareLeftAlone = 0.08

/** What a person would do who signs in at `startedAt`: the same for the same seed and number. */
export function planSignIn(candidate: Candidate, startedAt: string, seed: number, number: number): SignInPlan {
  const place = choose(places, hashOf(seed, number, 1))
  const browser = choose(browsers, hashOf(seed, number, 2))
  const { network, country, city } = place
  return {
    session: {
      ipAddress: `${network}${1 + (hashOf(seed, number, 3) % 254)}`,
      country,
      city,
      browser: { ...browser, userAgent: `${browser.userAgent} (simulated)` },
      application: choose(applications, hashOf(seed, number, 4)),
      now: startedAt,
    },
    steps: stepsOf(candidate, startedAt, fractionOf(seed, number, 5) < shareLeftAlone),
  }
}

function stepsOf({ name, device }: Candidate, startedAt: string, isLeftAlone: boolean): Step[] {
  const after = (seconds: number) => plusMs(startedAt, seconds * 1_000)
  const event = (seconds: number, type: EventType, description: string): Step => ({
    at: after(seconds),
    kind: 'event',
    type,
    description,
  })
  const begin = event(0, 'sign_in_attempt', `${name} began to sign in.`)
  if (!device) {
    return [
      begin,
      event(4, 'agent_detection_failure', 'No agent answered on this machine.'),
      event(31, 'agent_download_request', `${name} asked for the agent.`),
    ]
  }
  const detected: Step[] = [
    begin,
    { at: after(2), kind: 'recognize' },
    event(2, 'agent_detection_success', `The agent on "${device.name}" answered.`),
  ]
  const isShown = device.authState === 'will_block' || device.authState === 'blocked'
  const shown: Step[] = isShown
    ? [
        { at: after(3), kind: 'show_issues' },
        event(12, 'issue_viewed', `${name} looked at what is wrong with "${device.name}".`),
      ]
    : []
  if (device.authState === 'blocked') {
    return [
      ...detected,
      event(3, 'device_blocked', `"${device.name}" is blocked.`),
      ...shown,
      event(48, 'device_rechecked', `${name} had "${device.name}" checked again; it is still blocked.`),
    ]
  }
  return isLeftAlone ? detected : [...detected, ...shown, { at: after(isShown ? 25 : 5), kind: 'finish' }]
}
