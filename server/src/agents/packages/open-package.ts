import type { ChangeContext } from '../../base/change-context.ts'
import { type Db, transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { revealEnrollmentSecret } from '../protocol/reveal-enrollment-secret.ts'
import type { BuiltPackage, PackageBuilder } from './package-builder.ts'
import { nameParts } from './parts/keep-parts.ts'
import { findPackage } from './queries.ts'

type Download = { id: string }

/**
 * The file of a package. It holds an enrollment secret in plain text, so the audit log says who was given it before the first
 * byte is. Fails with not_found.
 */
export async function openPackage(
  parts: { db: Db; secrets: Secrets; builder: PackageBuilder },
  { id }: Download,
  context: ChangeContext,
): Promise<BuiltPackage> {
  const { organizationId } = context
  const { db, secrets, builder } = parts
  const row = orNotFound(await findPackage(db, organizationId, id))
  const { name, secret } = await revealEnrollmentSecret(db, secrets, organizationId, row.enrollment_secret_id)
  const built = await builder.build({ ...row, organizationId }, secret)
  const description = `Downloaded the package "${built.fileName}" with the enrollment secret "${name}".`
  const about = { package: id, enrolment_secret: row.enrollment_secret_id }
  await transact(db, async (tx) => {
    await nameParts(tx, { organizationId, id }, built.fetches)
    await recordAudit(tx, { action: 'package.downloaded', about, description }, context)
  })
  return built
}
