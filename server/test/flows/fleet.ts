import { sql } from 'kysely'
import { deleteDevice } from '../../src/administration/registrations/delete-device.ts'
import { registerDevice } from '../../src/administration/registrations/register-device.ts'
import { restoreDevice } from '../../src/administration/registrations/restore-device.ts'
import {
  confirmRegistration,
  suspendRegistration,
} from '../../src/administration/registrations/suspend-registration.ts'
import { unregisterDevice } from '../../src/administration/registrations/unregister-device.ts'
import { type Actor, newChange, systemChange } from '../../src/base/change-context.ts'
import { type Db, type Tx, transact } from '../../src/base/db/transact.ts'
import { orNotFound, ServiceError } from '../../src/base/errors.ts'
import { updateConfiguration } from '../../src/checks/configuration/update-configuration.ts'
import { endExpiredExemptions } from '../../src/compliance/exemptions/end-expired-exemptions.ts'
import { recordTogether } from '../../src/compliance/results/record-results.ts'
import { statusColumn } from '../../src/compliance/standing/rules.ts'
import { recomputeCheck } from '../../src/compliance/targeting/recompute-check.ts'
import { lockDevice } from '../../src/inventory/devices/lock-device.ts'
import { settleDueDevices } from '../../src/inventory/devices/settle-due-devices.ts'
import { contextAt, makeIn, startOfTests } from '../support/make.ts'
import { at, type Model, type ModelConfiguration, newResult, personCount, type Row } from './compliance-model.ts'
import type { Step } from './compliance-steps.ts'
import { performExemptionStep } from './perform-exemption-step.ts'

/** An organization of the database whose devices, checks, people and groups go by their place in a list. */
export type Fleet = {
  db: Db
  organizationId: string
  devices: string[]
  checks: string[]
  people: string[]
  groups: string[]
}

const options = {
  level: { kind: 'integer', title: 'Level', description: 'A number.', default: 0, min: 0, max: 9 },
}
export const isoOf = (ms: number): string => new Date(ms).toISOString()
export const startMs = Date.parse(startOfTests)

/** Three computers in two groups, a check of one row and one of a row each user, two people. */
export async function makeFleet(database: { readonly db: Db }): Promise<{ fleet: Fleet; model: Model }> {
  const make = makeIn(database)
  const { id } = await make.organization()
  const people: string[] = []
  while (people.length < personCount) people.push((await make.person(id)).id)
  const groups = [(await make.deviceGroup(id)).id, (await make.deviceGroup(id)).id]
  const keyed = { primary_key_column: 'user' }
  const checks = [
    (await make.check(id, { option_definitions: JSON.stringify(options) })).id,
    (await make.check(id, { option_definitions: JSON.stringify(options), ...keyed })).id,
  ]
  const devices = [
    (await make.device(id, { device_type: 'Mac', groupIds: groups.slice(0, 1) })).id,
    (await make.device(id, { device_type: 'Windows', groupIds: groups })).id,
    (await make.device(id, { device_type: 'Mac' })).id,
  ]
  const labels = [['macos', 'group 0'], ['windows', 'group 0', 'group 1'], ['macos']]
  const fleet = { db: database.db, organizationId: id, devices, checks, people, groups }
  return { fleet, model: modelOf(labels) }
}

const modelOf = (labels: readonly string[][]): Model => ({
  now: startMs,
  trustUsed: Array.from({ length: personCount }, () => false),
  exemptionRequests: [],
  registrationRequests: [],
  checks: [false, true].map((isKeyed) => ({
    isKeyed,
    revision: 1,
    beginsAt: null,
    configuration: {
      strategy: 'report_only',
      graceDays: 7,
      isPaused: false,
      targeted: [],
      excluded: [],
      blockingAllowed: [],
      blockingExcluded: [],
      option: 0,
    },
  })),
  devices: labels.map((own) => ({
    labels: own,
    owner: null,
    takenFrom: new Set(),
    doubted: new Set(),
    registeredAt: 0,
    isSuspended: false,
    isDeleted: false,
    results: new Map([0, 1].map((check) => [check, newResult(1)])),
    open: [],
    opened: 0,
    state: 'good',
    willBlockAt: null,
    signalled: null,
  })),
})

/** What the passing of time does by itself. */
export async function sweep({ db }: Fleet, now: string): Promise<void> {
  await settleDueDevices(db, () => contextAt(now))
  await endExpiredExemptions(db, () => contextAt(now))
}

/** Takes the step in the product and returns what it answers: the code of a refusal, or that there was none. */
export async function perform(fleet: Fleet, step: Step, now: string): Promise<string> {
  if (step.kind === 'wait' || step.kind === 'deadline') return 'done'
  if (step.kind === 'run') return (await report(fleet, [step], now)) === 1 ? 'accepted' : 'refused'
  if (step.kind === 'configure') return configure(fleet, step.check, step.change, now)
  if (step.kind === 'begin') return begin(fleet, step.check, step.inMs, now)
  try {
    await transact(fleet.db, (tx) =>
      'of' in step ? performExemptionStep(tx, fleet, step, now) : command(tx, fleet, step, now),
    )
    return 'done'
  } catch (error) {
    if (error instanceof ServiceError) return error.code
    throw error
  }
}

type Run = Extract<Step, { kind: 'run' }>

/** Records runs in one transaction and returns how many were accepted. */
export async function report(fleet: Fleet, runs: readonly Run[], now: string): Promise<number> {
  const { db, organizationId, checks, devices } = fleet
  const configured = await db
    .selectFrom('check_configurations')
    .select(['check_id', 'query_revision'])
    .where('organization_id', '=', organizationId)
    .execute()
  const checkRunOf = ({ check, rows, isOld }: Run) => {
    const checkId = at(checks, check)
    const revision = configured.find((row) => row.check_id === checkId)?.query_revision ?? '0'
    const queryRevision = isOld ? String(Number(revision) - 1) : revision
    return { checkId, queryRevision, ranAt: now, outcome: { kind: 'rows' as const, rows: rows.map(rowOf) } }
  }
  const recordings = [...Map.groupBy(runs, (run) => run.device)].map(([device, own]) => ({
    organizationId,
    deviceId: at(devices, device),
    runs: own.map(checkRunOf),
    context: contextAt(now),
  }))
  return (await recordTogether(db, organizationId, recordings)).flat().length
}

const rowOf = ({ value, token }: Row) => ({ user: value, [statusColumn]: token })

async function configure(fleet: Fleet, check: number, change: Partial<ModelConfiguration>, now: string) {
  const { db, organizationId, groups } = fleet
  const checkId = at(fleet.checks, check)
  const listOf = (labels: string[] | undefined) =>
    labels?.map((label) => (label.startsWith('group') ? at(groups, Number(label.slice(6))) : label))
  const request = {
    remediation_strategy: change.strategy,
    block_auth_grace_period_days: change.graceDays,
    paused: change.isPaused,
    targeted_groups: listOf(change.targeted),
    excluded_groups: listOf(change.excluded),
    blocking_allowed_groups: listOf(change.blockingAllowed),
    blocking_excluded_groups: listOf(change.blockingExcluded),
    options: change.option === undefined ? undefined : { level: change.option },
  }
  const given = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))
  await transact(db, (tx) => updateConfiguration(tx, { checkId, request: given }, systemChange(organizationId, now)))
  await recomputeCheck(db, { organizationId, checkId }, () => contextAt(now), new AbortController().signal)
  return 'done'
}

async function begin({ db, organizationId, checks }: Fleet, check: number, inMs: number | null, now: string) {
  const checkId = at(checks, check)
  const beginsBlockingOn = inMs === null ? null : isoOf(Date.parse(now) + inMs)
  const change = { checkId, request: {}, beginsBlockingOn }
  await transact(db, (tx) => updateConfiguration(tx, change, systemChange(organizationId, now)))
  await recomputeCheck(db, { organizationId, checkId }, () => contextAt(now), new AbortController().signal)
  return 'done'
}

const administrator: Actor = {
  type: 'User',
  id: '1',
  name: 'Grace Hopper',
  email: 'grace@acme.example',
  source: null,
}

async function command(
  tx: Tx,
  { organizationId, devices, people }: Fleet,
  step: Exclude<Step, { kind: 'run' | 'configure' | 'begin' | 'wait' | 'deadline' } | { of: string }>,
  now: string,
): Promise<void> {
  const deviceId = at(devices, step.device)
  const about = { deviceId }
  const context = newChange(administrator, organizationId, now)
  switch (step.kind) {
    case 'register':
      return registerDevice(tx, { ...about, personId: at(people, step.person) }, context)
    case 'unregister': {
      const owner = (await lockDevice(tx, organizationId, deviceId))?.registered_owner_id ?? '0'
      const actor = step.isByPerson ? { ...administrator, type: 'Person' as const, id: owner } : administrator
      await unregisterDevice(tx, about, newChange(actor, organizationId, now))
      return
    }
    case 'delete':
      return deleteDevice(tx, about, context)
    case 'restore':
      return restoreDevice(tx, about, context)
    case 'suspend': {
      const device = orNotFound(await lockDevice(tx, organizationId, deviceId))
      if (device.registered_owner_id !== null)
        await suspendRegistration(tx, device, 'a test doubts it', systemChange(organizationId, now))
      return
    }
    case 'confirm':
      return confirmRegistration(tx, about, context)
  }
}

/** The news of a fleet in order, by device. */
export async function newsOf({ db, organizationId, devices }: Fleet) {
  const { rows } = await sql<{ type: string; device_id: string; data: Record<string, unknown> }>`
    select type, device_id, data from events where organization_id = ${organizationId}::bigint order by id`.execute(db)
  return devices.map((device) => rows.filter((row) => row.device_id === device))
}
