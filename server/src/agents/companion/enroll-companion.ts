import { newChange, type RequestSource, systemActorAt } from '../../base/change-context.ts'
import type { PublicEcJwk } from '../../base/db/schema.ts'
import { transact } from '../../base/db/transact.ts'
import { addCompanionKey, type CompanionFacts } from '../companion-keys/add-companion-key.ts'
import { admitWaitingKey } from '../companion-keys/admit-waiting-key.ts'
import { askForLink } from '../companion-keys/ask-for-link.ts'
import { linkCompanion } from '../companion-keys/link-companion.ts'
import { findDeviceOfHardware, findDeviceOfNodeKey } from '../companion-keys/queries.ts'
import { admitEnrollment } from '../protocol/admit-enrollment.ts'
import type { Answer } from '../protocol/answers.ts'
import { findEnrollmentSecret } from '../protocol/enrollment-queries.ts'
import { enrollmentSecretPurpose } from '../protocol/enrollment-secret-place.ts'
import { nodeKeyPurpose } from '../protocol/node-key.ts'
import { refusals } from './companion-answers.ts'
import type { CompanionContext } from './companion-context.ts'
import { findVoucher } from './find-voucher.ts'
import { type Fields, textOf } from './signed-request.ts'

type Signer = { kid: string; jwk: PublicEcJwk; noncedAt: string; source: RequestSource; hosts: readonly string[] }

/**
 * Enrolls the key of a companion with the secret that its machine enrolls with. The key waits until the osquery node of its
 * node key, or of its hardware, has reported its file; in a trial its node key links it at once. Returns why it is refused, or
 * nothing.
 */
export async function enrollCompanion(
  context: CompanionContext,
  { kid, jwk, noncedAt, source, hosts }: Signer,
  fields: Fields,
): Promise<Answer | undefined> {
  const { agents, db } = context
  const secret = textOf(fields['enroll_secret'])
  const organizationId = secret && (await admitEnrollment(agents, secret, source.ipAddress))
  if (!organizationId) return refusals.unknownSecret
  const secretHash = agents.secrets.lookupHash(enrollmentSecretPurpose, secret)
  const nodeKey = textOf(fields['node_key'])
  const now = agents.clock()
  const change = newChange(systemActorAt(source), organizationId, now)
  const facts = factsOf(fields)
  const vouchedBy = await findVoucher(db, fields['replaces'], { organizationId, kid, hosts })
  return transact(db, async (tx) => {
    // What let it in may be ten minutes old.
    const found = await findEnrollmentSecret(tx, secretHash, now)
    if (!found) return refusals.unknownSecret
    const key = { organizationId, kid, enrollmentSecretId: found.id, now }
    if (!(await admitWaitingKey(tx, key))) return refuseWaiting(context, key, source.ipAddress)
    const hash = nodeKey && agents.secrets.lookupHash(nodeKeyPurpose, nodeKey)
    const node = hash ? await findDeviceOfNodeKey(tx, organizationId, hash) : undefined
    const outcome = await addCompanionKey(tx, { ...key, jwk, vouchedBy, noncedAt }, facts)
    if (outcome === 'in_use') return refusals.keyInUse
    if (outcome === 'repeated') return refusals.otherNonce
    if (node && agents.isTrial) await linkCompanion(tx, { kid, deviceId: node.id, by: 'node_key' }, change)
    else await askNode(tx, { organizationId, kid, facts }, node?.id)
    return undefined
  })

  async function askNode(
    tx: Parameters<typeof askForLink>[0],
    key: { organizationId: string; kid: string; facts: CompanionFacts },
    ownId: string | undefined,
  ): Promise<void> {
    const deviceId = ownId ?? (await findDeviceOfHardware(tx, key.organizationId, hardwareOf(key.facts)))?.id
    if (deviceId !== undefined) await askForLink(tx, { kid: key.kid, deviceId }, change)
  }
}

/** The log says it once an hour for each secret. */
function refuseWaiting(
  { agents, reportedSecrets }: CompanionContext,
  { organizationId, enrollmentSecretId }: { organizationId: string; enrollmentSecretId: string },
  ip: string,
): Answer {
  const place = `${organizationId} ${enrollmentSecretId}`
  if (!reportedSecrets.get(place)) {
    reportedSecrets.note(place, true)
    agents.log.warn(
      { organizationId, enrollmentSecretId, ip },
      'too many companion keys of a secret wait for their link',
    )
  }
  return refusals.tooManyWaiting
}

const hardwareOf = ({ hardwareUuid, serial }: CompanionFacts) => ({ hardware_uuid: hardwareUuid, serial })

function factsOf(fields: Fields): CompanionFacts {
  return {
    isBundled: fields['is_bundled'] === true,
    hardwareUuid: textOf(fields['hardware_uuid']).toUpperCase() || null,
    serial: textOf(fields['hardware_serial']) || null,
    hostname: textOf(fields['hostname']),
    platform: textOf(fields['platform'], 40),
    agentVersion: textOf(fields['agent_version'], 40),
  }
}
