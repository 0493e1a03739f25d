import { addAdminUser } from '../../access/administrators/add-admin-user.ts'
import { addDeviceGroupMembers } from '../../administration/groups/add-device-group-members.ts'
import { createDeviceGroup } from '../../administration/groups/create-device-group.ts'
import { createEnrollmentSecret } from '../../agents/protocol/create-enrollment-secret.ts'
import { type ChangeContext, systemChange } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { updateConfiguration } from '../../checks/configuration/update-configuration.ts'
import { createDraft } from '../../checks/drafts/create-draft.ts'
import { publishDraft } from '../../checks/drafts/publish-draft.ts'
import { addPerson } from '../../inventory/people/add-person.ts'
import { createConnection } from '../../sign-in/connections/create-connection.ts'
import { demoCheckDraft } from './demo-check.ts'
import { type DemoPerson, demoStrategies } from './demo-people.ts'

export type DemoConnection = {
  name: string
  redirectUri: string
  /** Where "Open it again" on the page leads. */
  startUrl: string
  requestKey: Record<string, string>
}

export type DemoOrganization = {
  organizationId: string
  adminUserId: string
  /** The check that decides about this machine. */
  checkId: string
  groupId: string
  /** By machine; one that its person registers at the first sign-in has a secret of nobody’s. */
  enrollSecrets: ReadonlyMap<string, string>
  client: { id: string; secret: string }
}

/** It has just run when a sign-in begins; what is older is older than what the visitor did to their machine. */
const shelfLifeSeconds = 10

/** Fills an organization that has nothing but the catalogue: people, what blocks, and one connection for sign-ins. */
export function setUpOrganization(
  db: Db,
  secrets: Secrets,
  { organizationId, people, connection, now }: Parts,
): Promise<DemoOrganization> {
  const context = systemChange(organizationId, now)
  return transact(db, async (tx) => {
    const admin = {
      firstName: 'Demo',
      lastName: 'Administrator',
      email: 'admin@northwind.example',
      access: 'full',
    } as const
    const adminUserId = await addAdminUser(tx, admin, context)
    const group = {
      name: 'Demo laptops',
      description: 'Made up by muster demo. What blocks here blocks no other device.',
    }
    const groupId = await createDeviceGroup(tx, group, context)
    await decideWhatBlocks(tx, groupId, context)
    const checkId = await addDemoCheck(tx, groupId, context)
    const enrollSecrets = new Map<string, string>()
    for (const person of people) {
      const secret = await addWithSecret(tx, secrets, person, context)
      if (person.owns !== null && secret !== undefined) enrollSecrets.set(person.owns, secret)
    }
    // A page of this machine may reach what listens on it without a question.
    const { name, redirectUri, startUrl, requestKey } = connection
    const kind = 'second_step' as const
    const wanted = {
      kind,
      mode: 'enforce' as const,
      name,
      startUrl,
      redirectUris: [redirectUri],
      requestKeys: [requestKey],
      isBrowserManaged: true,
    }
    const made = await createConnection(tx, secrets, wanted, context)
    const client = { id: made.clientId, secret: made.clientSecret ?? '' }
    return { organizationId, adminUserId, checkId, groupId, enrollSecrets, client }
  })
}

type Parts = { organizationId: string; people: readonly DemoPerson[]; connection: DemoConnection; now: string }

/** Only in the group of made-up laptops: a newcomer's own machine must not be blocked by what they cannot fix here. */
async function decideWhatBlocks(tx: Tx, groupId: string, context: ChangeContext): Promise<void> {
  const checks = await tx
    .selectFrom('checks')
    .select(['id', 'slug'])
    .where(inOrganization('checks', context.organizationId))
    .where('slug', 'in', Object.keys(demoStrategies))
    .execute()
  for (const { id: checkId, slug } of checks) {
    const strategy = demoStrategies[slug as keyof typeof demoStrategies]
    await updateConfiguration(tx, { checkId, request: { ...strategy, targeted_groups: [groupId] } }, context)
  }
}

async function addDemoCheck(tx: Tx, groupId: string, context: ChangeContext): Promise<string> {
  const draftId = await createDraft(tx, { input: demoCheckDraft() }, context)
  const checkId = await publishDraft(tx, { draftId }, context)
  const strategy = {
    remediation_strategy: 'block_immediately',
    auth_check_run_shelf_life_seconds: shelfLifeSeconds,
  } as const
  await updateConfiguration(tx, { checkId, request: { ...strategy, excluded_groups: [groupId] } }, context)
  return checkId
}

async function addWithSecret(
  tx: Tx,
  secrets: Secrets,
  { name, email, owns, isRegistered }: DemoPerson,
  context: ChangeContext,
): Promise<string | undefined> {
  const { organizationId, now } = context
  const personId = await addPerson(tx, { organizationId, name, email, now })
  if (owns === null) return undefined
  const wanted = { name: owns, ...(isRegistered && { personId }) }
  return (await createEnrollmentSecret(tx, secrets, wanted, context)).secret
}

/** Puts the made-up laptops where their checks decide something, once they have enrolled. */
export const addDemoLaptops = (
  db: Db,
  { organizationId, groupId }: DemoOrganization,
  deviceIds: readonly string[],
  now: string,
): Promise<void> =>
  transact(db, (tx) => addDeviceGroupMembers(tx, { groupId, deviceIds }, systemChange(organizationId, now)))
