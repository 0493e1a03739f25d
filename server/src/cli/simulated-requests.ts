import { raiseExemptionRequest } from '../administration/requests/raise-exemption-request.ts'
import { raiseRegistrationRequest } from '../administration/requests/raise-registration-request.ts'
import type { ChangeContext } from '../base/change-context.ts'
import { inOrganization } from '../base/db/in-organization.ts'
import type { Tx } from '../base/db/transact.ts'
import { addPerson } from '../inventory/people/add-person.ts'
import { findPersonByEmail } from '../inventory/people/find-person-by-email.ts'
import { recordAudit } from '../signals/audit/record-audit.ts'

export type Simulation = {
  random: (below: number) => number
  context: ChangeContext
  /** Who is made up and asks for registrations. */
  person: { id: string; email: string }
}

const candidates = 200
const madeUpPeople = 20
const [whyExempt, whyMine] = [
  [
    'the build needs it this way.',
    'the vendor has no fix yet.',
    'I am travelling until Friday.',
    'this is a test device.',
  ],
  ['my new laptop.', 'I share it with a colleague.', 'my old one is broken.', 'I was told to use this one.'],
]

const oneOf = <T>(list: readonly T[], random: Simulation['random']): T | undefined => list[random(list.length)]
const simulated = (reasons: readonly string[] | undefined, random: Simulation['random']) =>
  `Simulated: ${oneOf(reasons ?? [], random) ?? 'no reason.'}`

/** Asks in the name of an owner for up to three issues of one device; undefined where no issue is left to ask for. */
export async function simulateExemptionRequest(tx: Tx, simulation: Simulation): Promise<string | undefined> {
  const { context, random } = simulation
  const issues = await issuesToAskFor(tx, context.organizationId)
  const chosen = oneOf(issues, random)
  if (!chosen?.person_id) return undefined
  const { device_id: deviceId, person_id: personId } = chosen
  const issueIds = issues.filter((issue) => issue.device_id === deviceId).map(({ id }) => id)
  const asked = { deviceId, personId, issueIds: issueIds.slice(0, 1 + random(3)) }
  const id = await raiseExemptionRequest(tx, { ...asked, message: simulated(whyExempt, random) }, context)
  return `exemption request ${id}: ${asked.issueIds.length} of device ${deviceId}, in the name of its owner`
}

const issuesToAskFor = (tx: Tx, organizationId: string) =>
  tx
    .selectFrom('issues')
    .innerJoin('devices', (join) =>
      join.onRef('devices.organization_id', '=', 'issues.organization_id').onRef('devices.id', '=', 'issues.device_id'),
    )
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'issues.organization_id')
        .onRef('configuration.check_id', '=', 'issues.check_id'),
    )
    .select(['issues.id', 'issues.device_id', 'devices.registered_owner_id as person_id'])
    .where(inOrganization('issues', organizationId))
    .where('issues.resolved_at', 'is', null)
    .where('issues.exempted', '=', false)
    .where('configuration.exemptions_disallowed', '=', false)
    .where('devices.registered_owner_id', 'is not', null)
    .where('devices.deleted_at', 'is', null)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('exemption_request_issues as covered')
            .innerJoin('exemption_requests as request', (join) =>
              join
                .onRef('request.organization_id', '=', 'covered.organization_id')
                .onRef('request.id', '=', 'covered.exemption_request_id'),
            )
            .select('request.id')
            .whereRef('covered.organization_id', '=', 'issues.organization_id')
            .whereRef('covered.issue_id', '=', 'issues.id')
            .where('request.status', '=', 'open'),
        ),
      ),
    )
    .orderBy('issues.id')
    .limit(candidates)
    .execute()

/** Asks in the name of someone made up for a device; undefined where they have asked for all. */
export async function simulateRegistrationRequest(tx: Tx, simulation: Simulation): Promise<string | undefined> {
  const { context, random, person } = simulation
  const device = oneOf(await devicesToAskFor(tx, context.organizationId, person.id), random)
  if (!device) return undefined
  const asked = { deviceId: device.id, personId: person.id, message: simulated(whyMine, random) }
  const id = await raiseRegistrationRequest(tx, asked, context)
  return `registration request ${id}: device ${device.id}, in the name of ${person.email}`
}

/** One of a few people who exist for this only. */
export async function madeUpPerson(
  tx: Tx,
  { random, context }: Omit<Simulation, 'person'>,
): Promise<Simulation['person']> {
  const { organizationId, now } = context
  const number = 1 + random(madeUpPeople)
  const [name, email] = [`Simulated Person ${number}`, `simulated-person-${number}@muster.invalid`]
  const existing = await findPersonByEmail(tx, organizationId, email)
  if (existing) return existing
  const id = await addPerson(tx, { organizationId, name, email, now })
  const description = `Added the simulated person "${name}" (${email}).`
  await recordAudit(tx, { action: 'person.created', about: { person: id }, description }, context)
  return { id, email }
}

const devicesToAskFor = (tx: Tx, organizationId: string, personId: string) =>
  tx
    .selectFrom('devices')
    .select('devices.id')
    .where(inOrganization('devices', organizationId))
    .where('devices.deleted_at', 'is', null)
    .where((build) =>
      build.or([
        build('devices.registered_owner_id', 'is', null),
        build('devices.registered_owner_id', '<>', personId),
      ]),
    )
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('registration_requests as request')
            .select('request.id')
            .whereRef('request.organization_id', '=', 'devices.organization_id')
            .whereRef('request.device_id', '=', 'devices.id')
            .where('request.person_id', '=', personId)
            .where('request.status', '=', 'pending'),
        ),
      ),
    )
    .orderBy('devices.id')
    .limit(candidates)
    .execute()
