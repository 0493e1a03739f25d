import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { createEnrollmentSecret } from '../protocol/create-enrollment-secret.ts'
import { revokeEnrollmentSecret } from '../protocol/revoke-enrollment-secret.ts'
import { lockPackages, type PackageChange, secretNameOf } from './ensure-packages.ts'
import { fileNameOf } from './package-files.ts'
import { findPackage } from './queries.ts'

/**
 * Gives a package another enrollment secret and revokes the one it had, so that no copy of it enrolls anymore. Devices
 * that enrolled with one stay enrolled. Returns the name of the new file. Fails with not_found.
 */
export async function rebuildPackage(
  tx: Tx,
  secrets: Secrets,
  { id, site }: PackageChange & { id: string },
  context: ChangeContext,
): Promise<string> {
  const { organizationId, now } = context
  await lockPackages(tx, organizationId)
  const row = orNotFound(await findPackage(tx, organizationId, id))
  if (row.secret_revoked_at === null) await revokeEnrollmentSecret(tx, { id: row.enrollment_secret_id }, context)
  const secret = await createEnrollmentSecret(tx, secrets, { name: secretNameOf(row) }, context)
  const renewed = {
    product_version: site.productVersion,
    base_url: site.baseUrl,
    ca_certificate: site.caCertificate,
    build: row.build + 1,
    enrollment_secret_id: secret.id,
    built_at: now,
    // Copies with the earlier secret enroll no more.
    fetches: [],
  }
  await tx
    .updateTable('packages')
    .set(renewed)
    .where(inOrganization('packages', organizationId))
    .where('id', '=', id)
    .execute()
  const [from, to] = [fileNameOf(row), fileNameOf({ ...row, ...renewed })]
  const description = `Made the package "${from}" again as "${to}" with another enrollment secret.`
  await recordAudit(
    tx,
    { action: 'package.rebuilt', about: { package: id, enrolment_secret: secret.id }, description },
    context,
  )
  return to
}
