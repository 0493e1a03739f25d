import { deviceProfile, usualWeights } from '@muster/agent/simulate/device-profile.ts'
import { type LaptopKind, laptopCheckSql, type SignInSetup } from '@muster/agent/simulate/sign-ins/sign-in-setup.ts'
import { createEnrollmentSecret } from '../../agents/protocol/create-enrollment-secret.ts'
import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { updateConfiguration } from '../../checks/configuration/update-configuration.ts'
import { addCheck } from '../../checks/definitions/add-check.ts'
import { addPerson } from '../../inventory/people/add-person.ts'
import { createConnection } from '../../sign-in/connections/create-connection.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'

export const maxSimulatedPeople = 1_000

export type PreparedSignIns = Omit<SignInSetup, 'requestKey'>

type Wanted = { people: number; requestKey: Record<string, string>; baseUrl: string }

const redirectUri = 'https://simulated-application.invalid/callback'
const name = 'Simulated application'
const nameSeed = 1_511

/**
 * Makes what simulated sign-ins need that a server does not have by itself: a connection, an enrollment secret, people
 * without a device, and checks that fail on simulated laptops only.
 */
export async function prepareSignIns(
  tx: Tx,
  secrets: Secrets,
  { people, requestKey, baseUrl }: Wanted,
  context: ChangeContext,
): Promise<PreparedSignIns> {
  const description = `Prepared simulated sign-ins of ${people} people.`
  await recordAudit(tx, { action: 'sign_ins.simulated', about: {}, description }, context)
  const kind = 'second_step' as const
  const wanted = { kind, mode: 'enforce' as const, name, redirectUris: [redirectUri], requestKeys: [requestKey] }
  const { clientId, clientSecret = '' } = await createConnection(tx, secrets, wanted, context)
  const { secret } = await createEnrollmentSecret(tx, secrets, { name: 'Simulated sign-ins' }, context)
  await ensureCheck(tx, 'blocked', context)
  await ensureCheck(tx, 'warned', context)
  return {
    issuer: `${baseUrl}/signin/oidc`,
    clientId,
    clientSecret,
    redirectUri,
    enrollSecret: secret,
    people: await peopleWithoutDevice(tx, people, context),
  }
}

const strategies = { blocked: 'block_immediately', warned: 'warn_then_block' } as const

async function ensureCheck(tx: Tx, kind: Exclude<LaptopKind, 'good'>, context: ChangeContext): Promise<void> {
  const slug = `simulated-laptop-${kind}`
  const known = await tx
    .selectFrom('checks')
    .select('id')
    .where(inOrganization('checks', context.organizationId))
    .where('slug', '=', slug)
    .executeTakeFirst()
  if (known) return
  const id = await addCheck(
    tx,
    {
      slug,
      name: `Simulated laptop, ${kind}`,
      type: 'custom',
      isProvided: false,
      platforms: ['darwin', 'windows', 'linux'],
      description: 'For `muster simulate sign-ins`: it fails on some simulated laptops, and on no real machine.',
      sqlTemplate: laptopCheckSql(kind),
      primaryKeyColumn: null,
      issueTitle: 'The laptop is simulated to fail',
      rationaleTemplate: 'This check is for trying out what a sign-in looks like.',
      fixInstructionsTemplate: 'Nothing can be fixed: the laptop does not exist.',
    },
    context,
  )
  const request = { remediation_strategy: strategies[kind], auth_check_run_shelf_life_seconds: 31_536_000 }
  await updateConfiguration(tx, { checkId: id, request }, context)
}

/** People of earlier runs who have no device yet, then new ones. */
async function peopleWithoutDevice(tx: Tx, count: number, context: ChangeContext): Promise<string[]> {
  const { organizationId, now } = context
  const known = await tx
    .selectFrom('people')
    .select(['email', 'has_used_first_trust', 'deprovisioned_at'])
    .where(inOrganization('people', organizationId))
    .where('email', 'like', 'simulated-sign-in-%@muster.invalid')
    .orderBy('id')
    .execute()
  const free = known.filter((person) => !person.has_used_first_trust && person.deprovisioned_at === null)
  const emails = free.slice(0, count).map(({ email }) => email)
  for (let number = known.length + 1; emails.length < count; number += 1) {
    const email = `simulated-sign-in-${number}@muster.invalid`
    const { ownerName } = deviceProfile(nameSeed, number, usualWeights)
    const id = await addPerson(tx, { organizationId, name: `${ownerName} (simulated)`, email, now })
    const description = `Added the simulated person "${ownerName} (simulated)" (${email}).`
    await recordAudit(tx, { action: 'person.created', about: { person: id }, description }, context)
    emails.push(email)
  }
  return emails
}
