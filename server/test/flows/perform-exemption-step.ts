import { decideExemptionRequest } from '../../src/administration/requests/decide-exemption-request.ts'
import { decideRegistrationRequest } from '../../src/administration/requests/decide-registration-request.ts'
import { raiseExemptionRequest } from '../../src/administration/requests/raise-exemption-request.ts'
import { reopenExemptionRequest } from '../../src/administration/requests/reopen-exemption-request.ts'
import { reopenRegistrationRequest } from '../../src/administration/requests/reopen-registration-request.ts'
import { requestRegistration } from '../../src/administration/requests/request-registration.ts'
import { withdrawExemptionRequest } from '../../src/administration/requests/withdraw-exemption-request.ts'
import { type Actor, newChange } from '../../src/base/change-context.ts'
import type { Tx } from '../../src/base/db/transact.ts'
import { fail } from '../../src/base/errors.ts'
import { endExemption } from '../../src/compliance/exemptions/end-exemption.ts'
import { exemptCheck } from '../../src/compliance/exemptions/exempt-check.ts'
import { snoozeCheck } from '../../src/compliance/exemptions/snooze-check.ts'
import { at } from './compliance-model.ts'
import { type ExemptionStep, placeOf } from './exemption-steps.ts'

type Place = { organizationId: string; devices: string[]; checks: string[]; people: string[] }

const administrator: Actor = {
  type: 'User',
  id: '1',
  name: 'Grace Hopper',
  email: 'grace@acme.example',
  source: null,
}

/** Takes the step in the product. */
export async function performExemptionStep(tx: Tx, place: Place, step: ExemptionStep, now: string): Promise<void> {
  if (step.of === 'check') return performCheckStep(tx, place, step, now)
  if (step.kind === 'ask') return ask(tx, place, step, now)
  const { organizationId } = place
  const table = step.of === 'exemption' ? 'exemption_requests' : 'registration_requests'
  const requests = await tx
    .selectFrom(table)
    .select(['id', 'person_id'])
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute()
  const request = requests[placeOf(step.request, requests.length)] ?? fail('not_found')
  const about = { requestId: request.id }
  const context = newChange(administrator, organizationId, now)
  if (step.kind === 'withdraw') return withdrawExemptionRequest(tx, { ...about, personId: request.person_id }, context)
  if (step.kind === 'reopen') {
    return step.of === 'exemption'
      ? reopenExemptionRequest(tx, about, context)
      : reopenRegistrationRequest(tx, about, context)
  }
  const status = step.kind === 'approve' ? ('approved' as const) : ('denied' as const)
  const reasons = { internal_message: 'A note.', denial_explanation: 'A reason.', end_user_denial_message: 'A reason.' }
  const decide = step.of === 'exemption' ? decideExemptionRequest : decideRegistrationRequest
  return decide(tx, { ...about, decision: { status, ...reasons } }, context)
}

type CheckStep = Extract<ExemptionStep, { of: 'check' }>

async function performCheckStep(tx: Tx, { organizationId, devices, checks }: Place, step: CheckStep, now: string) {
  const [deviceId, checkId] = [at(devices, step.device), at(checks, step.check)]
  const about = { deviceId, checkId }
  const context = newChange(administrator, organizationId, now)
  if (step.kind === 'exempt') {
    const expiresAt = step.forMs === null ? null : new Date(Date.parse(now) + step.forMs).toISOString()
    await exemptCheck(tx, { ...about, reason: 'A test exempts it.', expiresAt }, context)
  } else if (step.kind === 'end') await endExemption(tx, about, context)
  else await snoozeCheck(tx, about, context)
}

type Asking = Extract<ExemptionStep, { kind: 'ask' }>

async function ask(tx: Tx, { organizationId, devices, checks, people }: Place, step: Asking, now: string) {
  const deviceId = at(devices, step.device)
  const personId = step.person === null ? await ownerOf(tx, organizationId, deviceId) : at(people, step.person)
  const asked = { deviceId, personId, message: 'Please.' }
  const context = newChange(administrator, organizationId, now)
  if (step.of === 'registration') {
    await requestRegistration(tx, asked, context)
    return
  }
  const issues = await tx
    .selectFrom('issues')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('device_id', '=', deviceId)
    .where('check_id', '=', at(checks, step.check))
    .where('resolved_at', 'is', null)
    .where('exempted', '=', false)
    .execute()
  await raiseExemptionRequest(tx, { ...asked, issueIds: issues.map(({ id }) => id) }, context)
}

/** Of a device that is nobody's or deleted, someone whom it does not belong to. */
async function ownerOf(tx: Tx, organizationId: string, deviceId: string): Promise<string> {
  const device = await tx
    .selectFrom('devices')
    .select('registered_owner_id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', deviceId)
    .executeTakeFirst()
  const anyone = tx.selectFrom('people').select('id').where('organization_id', '=', organizationId)
  return device?.registered_owner_id ?? (await anyone.executeTakeFirstOrThrow()).id
}
