import fc from 'fast-check'
import {
  at,
  checkCount,
  dayMs,
  decide,
  deviceCount,
  endExemption,
  isExempted,
  type Model,
  personCount,
  register,
} from './compliance-model.ts'

/** `request` counts back from the latest and begins again after the first; `person: null` is the owner. */
export type ExemptionStep =
  | { of: 'check'; kind: 'exempt'; device: number; check: number; forMs: number | null }
  | { of: 'check'; kind: 'end' | 'snooze'; device: number; check: number }
  /** For all issues of the check that are not exempted. */
  | { of: 'exemption'; kind: 'ask'; device: number; check: number; person: number | null }
  | { of: 'exemption'; kind: 'approve' | 'deny' | 'reopen' | 'withdraw'; request: number }
  | { of: 'registration'; kind: 'ask'; device: number; person: number }
  | { of: 'registration'; kind: 'approve' | 'deny' | 'reopen'; request: number }

const device = fc.nat(deviceCount - 1)
const check = fc.nat(checkCount - 1)
const person = fc.nat(personCount - 1)
const owner = fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: person })
const request = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(5) })
/** The place of a request among so many. */
export const placeOf = (back: number, count: number): number => count - 1 - (back % count)

export const anyExemptionStep: fc.Arbitrary<ExemptionStep> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      of: fc.constant('check' as const),
      kind: fc.constant('exempt' as const),
      device,
      check,
      forMs: fc.constantFrom(null, 1_000, dayMs),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      of: fc.constant('check' as const),
      kind: fc.constantFrom('end' as const, 'snooze' as const),
      device,
      check,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      of: fc.constant('exemption' as const),
      kind: fc.constant('ask' as const),
      device,
      check,
      person: owner,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      of: fc.constant('exemption' as const),
      kind: fc.constantFrom(
        'approve' as const,
        'approve' as const,
        'deny' as const,
        'reopen' as const,
        'withdraw' as const,
      ),
      request,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      of: fc.constant('registration' as const),
      kind: fc.constant('ask' as const),
      device,
      person,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      of: fc.constant('registration' as const),
      kind: fc.constantFrom('approve' as const, 'deny' as const, 'reopen' as const),
      request,
    }),
  },
)

/** Takes the step in the model and returns what it answers. */
export function takeExemptionStep(model: Model, step: ExemptionStep): string {
  if (step.of === 'check') return takeCheckStep(model, step)
  if (step.kind === 'ask') return step.of === 'exemption' ? askForExemption(model, step) : askForDevice(model, step)
  return step.of === 'exemption' ? takeExemptionRequest(model, step) : takeRegistrationRequest(model, step)
}

type Of<Which extends ExemptionStep['of'], Kind extends ExemptionStep['kind'] = ExemptionStep['kind']> = Extract<
  ExemptionStep,
  { of: Which; kind: Kind }
>

function takeCheckStep(model: Model, step: Of<'check'>): string {
  const one = at(model.devices, step.device)
  const result = one.results.get(step.check)
  if (one.isDeleted || !result) return 'not_found'
  if (step.kind === 'end') {
    if (result.exemption !== null) endExemption(model, one, step.check, result)
    return 'done'
  }
  if (step.kind === 'exempt') {
    result.exemption = { until: step.forMs === null ? null : model.now + step.forMs }
    decide(model, one)
    return 'done'
  }
  if (result.snoozedAt !== null && result.snoozedAt + 7 * dayMs > model.now) return 'already_snoozed'
  if (!one.open.some((issue) => issue.check === step.check && !isExempted(one, issue))) return 'invalid'
  result.snoozedAt = model.now
  decide(model, one)
  return 'done'
}

function askForExemption(model: Model, step: Of<'exemption', 'ask'>): string {
  const one = at(model.devices, step.device)
  if (one.isDeleted) return 'not_found'
  if (one.owner === null || one.owner !== (step.person ?? one.owner)) return 'not_device_owner'
  const issues = one.open.filter((issue) => issue.check === step.check && !isExempted(one, issue))
  if (issues.length === 0) return 'invalid'
  if (isCovered(model, issues)) return 'already_requested'
  model.exemptionRequests.push({ device: step.device, issues, status: 'open' })
  return 'done'
}

type Issues = Model['exemptionRequests'][number]['issues']

const isCovered = (model: Model, issues: Issues, except?: Model['exemptionRequests'][number]) =>
  model.exemptionRequests.some(
    (other) => other !== except && other.status === 'open' && other.issues.some((issue) => issues.includes(issue)),
  )

function askForDevice(model: Model, step: Of<'registration', 'ask'>): string {
  const one = at(model.devices, step.device)
  if (one.isDeleted) return 'not_found'
  if (one.owner === null && !model.trustUsed[step.person] && !one.takenFrom.has(step.person)) {
    register(model, one, step.person)
    return 'done'
  }
  if (one.owner === step.person && !one.isSuspended) return 'already_registered'
  if (isPending(model, step)) return 'already_requested'
  model.registrationRequests.push({ device: step.device, person: step.person, status: 'pending' })
  return 'done'
}

const isPending = (model: Model, { device: of, person: by }: { device: number; person: number }) =>
  model.registrationRequests.some((other) => other.device === of && other.person === by && other.status === 'pending')

function takeExemptionRequest(model: Model, step: Exclude<Of<'exemption'>, { kind: 'ask' }>): string {
  const asked = model.exemptionRequests[placeOf(step.request, model.exemptionRequests.length)]
  if (!asked || at(model.devices, asked.device).isDeleted) return 'not_found'
  const { status } = asked
  if (step.kind === 'reopen' && status === 'open') return 'done'
  if (status === 'withdrawn') return 'request_withdrawn'
  if (step.kind === 'reopen') {
    if (isCovered(model, asked.issues, asked)) return 'already_requested'
    asked.status = 'open'
    if (status === 'approved') setExempted(model, asked, false)
    return 'done'
  }
  if (status !== 'open') return 'request_decided'
  asked.status = ({ approve: 'approved', deny: 'denied', withdraw: 'withdrawn' } as const)[step.kind]
  if (step.kind === 'approve') setExempted(model, asked, true)
  return 'done'
}

/** What another approved request exempts as well stays exempted. */
function setExempted(model: Model, asked: Model['exemptionRequests'][number], value: boolean): void {
  const one = at(model.devices, asked.device)
  const kept = model.exemptionRequests.flatMap(({ status, issues }) => (status === 'approved' ? issues : []))
  for (const issue of asked.issues) {
    if (one.open.includes(issue) && (value || !kept.includes(issue))) issue.isExemptedOnRequest = value
  }
  decide(model, one)
}

function takeRegistrationRequest(model: Model, step: Exclude<Of<'registration'>, { kind: 'ask' }>): string {
  const asked = model.registrationRequests[placeOf(step.request, model.registrationRequests.length)]
  if (!asked) return 'not_found'
  const one = at(model.devices, asked.device)
  if (one.isDeleted) return 'not_found'
  if (step.kind === 'reopen') {
    if (asked.status === 'approved') return 'request_decided'
    if (asked.status === 'denied' && isPending(model, asked)) return 'already_requested'
    asked.status = 'pending'
    return 'done'
  }
  if (asked.status !== 'pending') return 'request_decided'
  asked.status = step.kind === 'approve' ? 'approved' : 'denied'
  if (step.kind === 'deny') return 'done'
  if (one.owner === asked.person) one.isSuspended = false
  else register(model, one, asked.person, true)
  return 'done'
}
