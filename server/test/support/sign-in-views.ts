import { html } from '../../src/http/page/html.ts'
import type { PageState, PageView, ThingView } from '../../src/sign-in/page/page-view.ts'

const shownAt = '2026-11-20T20:42:00.000Z'

const view: PageView = {
  id: '0123456789abcdef01234567',
  revision: 3,
  helpCode: '7F3KQ2',
  address: 'trust.halden.example',
  organizationName: 'Halden Instruments',
  applicationName: 'Payroll',
  kind: 'Mac',
  browser: { name: 'Chrome', version: '156', system: 'macOS' },
  surroundings: 'browser',
  systemsWithApp: null,
  state: 'looking',
  reason: null,
  personName: 'Ana Ruiz',
  mail: 'ana.ruiz@halden.example',
  deviceName: null,
  model: null,
  serialEnd: null,
  answeredDevices: [],
  whyAsk: null,
  things: [],
  checkNames: ['The application firewall is on', 'FileVault is on', 'Chrome is up to date'],
  runningChecks: 0,
  late: null,
  heardOf: null,
  upstream: null,
  request: null,
  code: null,
  unmet: [],
  isRechecking: false,
  checkedAt: '2026-11-20T20:42:00.000Z',
  startUrl: 'https://payroll.example/start',
  startedAt: '2026-11-20T20:41:00.000Z',
  waitsUntil: '2026-11-20T20:51:00.000Z',
  now: shownAt,
  finishUrl: '/signin/oidc/interaction/x/finish',
  ports: [],
  mayPrompt: true,
  isFactor: false,
  isPaused: false,
  isManagedBrowser: false,
  knownPort: null,
  bouncePort: null,
  isAnswered: false,
  test: null,
}

const device = { deviceName: 'ana-ruiz-mbp14', model: 'MacBook Pro 14″, M3 Pro', serialEnd: '9LMD' }

const firewall: ThingView = {
  checkId: '11',
  issueIds: ['101'],
  title: 'The firewall is off',
  goodTitle: 'The application firewall is on',
  standing: 'blocking',
  isHeld: false,
  why: html`<p>A firewall keeps strangers on the same Wi-Fi out of this Mac.</p>`,
  fix: {
    system: 'macOS',
    steps: html`<ol><li>Open <strong>System Settings</strong> and choose <strong>Network</strong>.</li><li>Choose <strong>Firewall</strong> and turn it on.</li><li>Or in a terminal: <span class="cmd"><code>sudo /usr/libexec/ApplicationFirewall/socketfilterfw --setglobalstate on</code><button type="button" class="btn sm" data-act="command" aria-label="Copy the command">Copy</button></span></li></ol>`,
    others: [{ system: 'Windows', steps: html`<ol><li>Open <strong>Windows Security</strong>.</li></ol>` }],
  },
  rows: null,
  more: 0,
  blocksAt: '2026-11-20T19:58:00.000Z',
  fixedAt: null,
  isChecking: false,
  stillAt: null,
  snooze: { kind: 'offered' },
  exemption: { kind: 'offered' },
}

const apps: ThingView = {
  ...firewall,
  checkId: '12',
  issueIds: ['102', '103'],
  title: '2 apps are out of date',
  goodTitle: 'Apps are up to date',
  why: html`<p>Old versions have known holes that attackers use.</p>`,
  fix: {
    system: null,
    steps: html`<ol><li>In Chrome, open the <strong>Chrome</strong> menu, then <strong>About Google Chrome</strong>.</li><li>When the update is loaded, choose <strong>Relaunch</strong>. Your tabs come back.</li></ol>`,
    others: [],
  },
  rows: {
    columns: ['App', 'Version', 'Path'],
    rows: [
      ['Chrome', '141.0.7390.122', '/Applications/Google Chrome.app'],
      ['Zoom', '6.1.10', '/Applications/zoom.us.app'],
    ],
  },
  more: 12,
}

const fixed: ThingView = {
  ...firewall,
  issueIds: [],
  standing: 'fixed',
  why: null,
  fix: null,
  fixedAt: '2026-11-20T20:45:00.000Z',
  snooze: { kind: 'none' },
  exemption: { kind: 'none' },
}
const lock: ThingView = {
  ...firewall,
  checkId: '13',
  issueIds: ['104'],
  title: 'The screen doesn’t lock by itself',
  standing: 'later',
  blocksAt: '2026-11-22T21:14:00.000Z',
}

const snoozed: ThingView = { ...lock, snooze: { kind: 'running', until: '2026-11-21T20:42:00.000Z' } }
const asked: ThingView = {
  ...apps,
  snooze: { kind: 'spent', againAt: '2026-11-26T09:00:00.000Z' },
  exemption: { kind: 'asked', requestId: '77', at: '2026-11-20T20:43:00.000Z' },
}
const refused: ThingView = {
  ...firewall,
  exemption: { kind: 'refused', words: 'The lab network needs it. Call 4711.' },
}

const of = (state: PageState, more: Partial<PageView> = {}): PageView => ({ ...view, state, ...more })

const stranger = { personName: null, mail: null, checkNames: null }

/** A page for each thing that it may show. */
export const signInViews: Readonly<Record<string, PageView>> = {
  identifying: of('identifying', { ...stranger, upstream: { name: 'Google', failure: null } }),
  'identifying-unavailable': of('identifying', { ...stranger, upstream: { name: 'Google', failure: 'unavailable' } }),
  'identifying-tenant': of('identifying', { ...stranger, upstream: { name: 'Google', failure: 'tenant' } }),
  looking: of('looking'),
  permission: of('permission'),
  'no-answer': of('no_answer', { reason: 'agent_not_found' }),
  'no-answer-no-app': of('no_answer', { reason: 'agent_not_found', systemsWithApp: 'Linux' }),
  'no-answer-stopped': of('no_answer', {
    reason: 'agent_not_found',
    kind: 'computer',
    browser: { name: 'Firefox', version: '153', system: 'Linux' },
    heardOf: { deviceName: 'ana-x1', at: '2026-11-20T17:40:00.000Z', isRunning: false },
  }),
  'no-answer-unreached': of('no_answer', {
    reason: 'agent_not_found',
    heardOf: { deviceName: 'ana-ruiz-mbp14', at: '2026-11-20T20:41:30.000Z', isRunning: true },
  }),
  'no-answer-ad-blocker': of('no_answer', { reason: 'ad_blocker' }),
  'no-answer-proxy': of('no_answer', { reason: 'proxy' }),
  'no-answer-unsupported': of('no_answer', {
    reason: 'unsupported',
    browser: { name: 'Safari', version: '19', system: 'macOS' },
  }),
  'no-answer-phone': of('no_answer', {
    reason: 'unsupported',
    kind: 'device',
    surroundings: 'phone',
    browser: { name: 'Chrome', version: '156', system: 'Android' },
  }),
  'no-answer-web-view': of('no_answer', {
    reason: 'unsupported',
    kind: 'PC',
    surroundings: 'web_view',
    browser: { name: 'Edge', version: '18', system: 'Windows' },
  }),
  'no-answer-denied': of('no_answer', { reason: 'permission_denied' }),
  'no-answer-factor': of('no_answer', { reason: 'agent_not_found', isFactor: true, applicationName: 'Microsoft 365' }),
  'no-answer-repair': of('no_answer', { reason: 'proof_invalid' }),
  'no-answer-relayed': of('no_answer', { reason: 'proof_relayed' }),
  'unknown-person': of('unknown_person', { personName: null, mail: 'j.weber@partner.example', kind: 'PC' }),
  linking: of('linking'),
  evaluating: of('evaluating', { ...device, runningChecks: 12 }),
  'several-devices': of('no_answer', {
    kind: 'PC',
    reason: 'several_devices',
    answeredDevices: ['ana-ruiz-x1', 'ana-ruiz-x1-ubuntu'],
  }),
  register: of('register', device),
  confirm: of('confirm', device),
  'ask-it': of('ask_it', device),
  'ask-it-again': of('ask_it', { ...device, whyAsk: 'ended' }),
  'ask-it-of-several': of('ask_it', { ...device, whyAsk: 'several_people' }),
  awaiting: of('awaiting_approval', {
    ...device,
    request: { at: '2026-11-20T20:42:00.000Z', message: 'New laptop, replaces ana-ruiz-mbp14.', words: null },
  }),
  denied: of('denied', {
    ...device,
    request: {
      at: '2026-11-20T20:44:00.000Z',
      message: 'New laptop.',
      words: 'We do not know this laptop. Bring it by.',
    },
  }),
  'not-yours': of('not_your_device'),
  unfinished: of('unfinished', {
    ...device,
    late: { count: 3, outdated: ['FileVault is on', 'Chrome is up to date'], resultsFrom: '2026-11-20T17:40:00.000Z' },
  }),
  blocked: of('blocked', { ...device, things: [firewall, apps] }),
  'blocked-late': of('blocked', {
    ...device,
    things: [firewall],
    late: { count: 1, outdated: [], resultsFrom: '2026-11-18T09:12:00.000Z' },
  }),
  'blocked-factor': of('blocked', { ...device, things: [firewall], isFactor: true, applicationName: 'Microsoft 365' }),
  'blocked-asked': of('blocked', { ...device, things: [refused, asked, snoozed] }),
  'blocked-fixed': of('blocked', {
    ...device,
    things: [fixed, { ...apps, stillAt: '2026-11-20T20:45:00.000Z' }],
  }),
  rechecking: of('blocked', { ...device, things: [fixed, { ...apps, isChecking: true }], isRechecking: true }),
  'will-block': of('warning', { ...device, things: [lock] }),
  held: of('warning', { ...device, things: [{ ...lock, standing: 'advice', blocksAt: null, isHeld: true }] }),
  notified: of('warning', { ...device, things: [{ ...lock, standing: 'advice', blocksAt: null }] }),
  passed: of('passed', { ...device, things: [fixed, { ...fixed, checkId: '12', goodTitle: 'Apps are up to date' }] }),
  observe: of('looking', { mayPrompt: false }),
  observed: of('observed', device),
  'too-late': of('too_late', device),
  'too-late-blocked': of('too_late', { ...device, things: [fixed, apps] }),
  'not-ready': of('not_ready', { deviceName: 'ana-x1', unmet: ['FileVault is on', 'The application firewall is on'] }),
  'code-accepted': of('bypassed', {
    code: { isGiven: true, triesLeft: null, reason: 'Loaner laptop', endsAt: '2026-11-20T23:00:00.000Z' },
  }),
  'code-waits': of('no_answer', {
    reason: 'agent_not_found',
    code: { isGiven: true, triesLeft: null, reason: null, endsAt: null },
  }),
  'keeps-asking': of('keeps_asking', device),
  ended: of('ended', { personName: null, mail: null }),
  answered: of('ended', { ...device, isAnswered: true }),
  fault: of('fault'),
  offline: of('offline'),
}
