import fc from 'fast-check'
import {
  at,
  checkCount,
  dayMs,
  decide,
  deviceCount,
  hasDevice,
  type Model,
  type ModelConfiguration,
  personCount,
  type Row,
  register,
  run,
  target,
} from './compliance-model.ts'
import { anyExemptionStep, type ExemptionStep, takeExemptionStep } from './exemption-steps.ts'

export type Step =
  | ExemptionStep
  | { kind: 'run'; device: number; check: number; rows: Row[]; isOld: boolean }
  | { kind: 'configure'; check: number; change: Partial<ModelConfiguration> }
  /** From so long after the step on the check blocks; null: from ever. */
  | { kind: 'begin'; check: number; inMs: number | null }
  | { kind: 'register'; device: number; person: number }
  | { kind: 'unregister'; device: number; isByPerson: boolean }
  | { kind: 'delete' | 'restore' | 'suspend' | 'confirm'; device: number }
  | { kind: 'wait'; ms: number }
  /** Until so long after the next moment at which a device blocks or an exemption ends. */
  | { kind: 'deadline'; offsetMs: number }

const device = fc.nat(deviceCount - 1)
const check = fc.nat(checkCount - 1)
const labels = fc.subarray(['macos', 'windows', 'group 0', 'group 1'], { maxLength: 2 })
const fewLabels = fc.oneof(fc.constant<string[]>([]), labels)

export const anyRows: fc.Arbitrary<Row[]> = fc.uniqueArray(
  fc.record({
    value: fc.constantFrom('ada', 'bob', ''),
    token: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom('PASS' as const, 'FAIL' as const) },
      { weight: 1, arbitrary: fc.constantFrom('UNKNOWN' as const, 'INAPPLICABLE' as const, 'ERROR' as const) },
    ),
  }),
  { selector: (row) => row.value, maxLength: 3 },
)

export const anyConfiguration = fc.record<ModelConfiguration>({
  strategy: fc.constantFrom('block_immediately', 'warn_then_block', 'warn_then_block', 'notify_only', 'report_only'),
  graceDays: fc.constantFrom(0, 1, 7),
  isPaused: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  targeted: fewLabels,
  excluded: fewLabels,
  blockingAllowed: fewLabels,
  blockingExcluded: fewLabels,
  option: fc.nat(2),
})

export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('run' as const),
      device,
      check,
      rows: anyRows,
      isOld: fc.integer({ max: 9, min: 0 }).map((number) => number === 0),
    }),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(check, anyConfiguration, fc.subarray(Object.keys(configurationNames()), { minLength: 1, maxLength: 2 }))
      .map(([which, whole, names]) => ({
        kind: 'configure' as const,
        check: which,
        change: Object.fromEntries(Object.entries(whole).filter(([name]) => names.includes(name))),
      })),
  },
  { weight: 9, arbitrary: anyExemptionStep },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('begin' as const),
      check,
      inMs: fc.constantFrom(null, 1_000, 3 * dayMs),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('register' as const), device, person: fc.nat(personCount - 1) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('unregister' as const), device, isByPerson: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('delete', 'restore', 'restore', 'suspend', 'confirm'), device }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(1_000, dayMs - 1, dayMs, 7 * dayMs, 30 * dayMs),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('deadline' as const), offsetMs: fc.constantFrom(-1, 0, 1) }),
  },
)

function configurationNames(): Record<keyof ModelConfiguration, true> {
  return {
    strategy: true,
    graceDays: true,
    isPaused: true,
    targeted: true,
    excluded: true,
    blockingAllowed: true,
    blockingExcluded: true,
    option: true,
  }
}

/** The clock after the step: every step but waiting takes a millisecond. */
export function momentOf(model: Model, step: Step): number {
  if (step.kind === 'wait') return model.now + step.ms
  if (step.kind !== 'deadline') return model.now + 1
  const moments = model.devices.flatMap((one) =>
    one.isDeleted
      ? []
      : [one.willBlockAt ?? [], ...[...one.results.values()].map(({ exemption }) => exemption?.until ?? [])].flat(),
  )
  return Math.max(model.now + 1, moments.length === 0 ? 0 : Math.min(...moments) + step.offsetMs)
}

/** Takes the step in the model and returns what it answers. */
export function take(model: Model, step: Step): string {
  if (step.kind === 'wait' || step.kind === 'deadline') return 'done'
  if (step.kind === 'configure') return configure(model, step.check, step.change)
  if (step.kind === 'begin') return begin(model, step.check, step.inMs)
  if ('of' in step) return takeExemptionStep(model, step)
  const one = at(model.devices, step.device)
  if (step.kind === 'run') return run(model, one, step.check, step.rows, step.isOld) ? 'accepted' : 'refused'
  if (step.kind === 'restore') return restore(model, one)
  if (one.isDeleted) return 'not_found'
  const { owner } = one
  switch (step.kind) {
    case 'register': {
      if (owner !== step.person) register(model, one, step.person)
      return 'done'
    }
    case 'unregister': {
      if (owner === null) return 'device_not_registered'
      if (!step.isByPerson || one.isSuspended) one.takenFrom.add(owner)
      if (one.isSuspended) one.doubted.add(owner)
      Object.assign(one, { owner: null, registeredAt: 0, isSuspended: false })
      if (!step.isByPerson && !hasDevice(model, owner)) model.trustUsed[owner] = false
      decide(model, one)
      return 'done'
    }
    case 'delete':
      one.isDeleted = true
      if (owner !== null && !hasDevice(model, owner)) model.trustUsed[owner] = false
      return 'done'
    case 'suspend':
      if (owner !== null) one.isSuspended = true
      return 'done'
    case 'confirm':
      if (owner === null) return 'device_not_registered'
      one.isSuspended = false
      return 'done'
  }
}

function configure(model: Model, which: number, change: Partial<ModelConfiguration>): string {
  const configured = at(model.checks, which)
  if (change.option !== undefined && change.option !== configured.configuration.option) configured.revision += 1
  Object.assign(configured.configuration, change)
  for (const one of model.devices) {
    if (one.isDeleted) continue
    target(model, one, which)
    decide(model, one, which)
  }
  return 'done'
}

function begin(model: Model, which: number, inMs: number | null): string {
  at(model.checks, which).beginsAt = inMs === null ? null : model.now + inMs
  for (const one of model.devices) if (!one.isDeleted) decide(model, one, which)
  return 'done'
}

function restore(model: Model, one: Model['devices'][number]): string {
  if (!one.isDeleted) return 'not_found'
  one.isDeleted = false
  if (one.owner !== null) model.trustUsed[one.owner] = true
  for (const which of model.checks.keys()) target(model, one, which)
  decide(model, one)
  return 'done'
}
