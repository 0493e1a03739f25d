import { type Insertable, sql } from 'kysely'
import { type ChangeContext, systemChange } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Database } from '../../base/db/schema.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { createEnrollmentSecret } from '../protocol/create-enrollment-secret.ts'
import { type PackageKind, packageKinds, titleOf } from './package-kinds.ts'
import { findPackages, type PackageRow } from './queries.ts'
import type { PackageSite } from './site.ts'

export type PackageChange = { site: PackageSite }

/**
 * Makes the packages that the organization lacks, each with an enrollment secret of its own, and brings the others in
 * line with the installation; those keep their secrets. Returns how many it made and changed.
 */
export async function ensurePackages(
  tx: Tx,
  secrets: Secrets,
  change: PackageChange,
  context: ChangeContext,
): Promise<{ made: number; changed: number }> {
  await lockPackages(tx, context.organizationId)
  const present = await findPackages(tx, context.organizationId)
  const missing = packageKinds.filter((kind) => !present.some((row) => isKind(row, kind)))
  const outdated = present.filter((row) => !isCurrent(row, change.site))
  if (missing.length > 0) await addPackages(tx, secrets, missing, change, context)
  if (outdated.length > 0) await renewPackages(tx, outdated, change, context)
  return { made: missing.length, changed: outdated.length }
}

/** What a start does: every organization is looked at in one statement, and only those that need it are written. */
export async function ensureAllPackages(db: Db, secrets: Secrets, site: PackageSite, now: string): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select organizations.id
    from organizations
    where (
      select count(*) from packages
      where packages.organization_id = organizations.id
        and packages.product_version = ${site.productVersion}
        and packages.base_url = ${site.baseUrl}
        and packages.ca_certificate is not distinct from ${site.caCertificate}
    ) < ${packageKinds.length}
    order by organizations.id`.execute(db)
  for (const { id: organizationId } of rows) {
    await transact(db, (tx) => ensurePackages(tx, secrets, { site }, systemChange(organizationId, now)))
  }
}

/** Two starts, or a start and a command, come one after the other. */
export async function lockPackages(tx: Tx, organizationId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`packages ${organizationId}`}, 0))`.execute(tx)
}

const isKind = (row: PackageKind, { agent, platform, format }: PackageKind) =>
  row.agent === agent && row.platform === platform && row.format === format

const isCurrent = (row: PackageRow, { productVersion, baseUrl, caCertificate }: PackageSite) =>
  row.product_version === productVersion && row.base_url === baseUrl && row.ca_certificate === caCertificate

/** Named after the package, in the list of secrets and in the audit log. */
export const secretNameOf = (kind: PackageKind): string => `Package ${titleOf(kind)}`

async function addPackages(
  tx: Tx,
  secrets: Secrets,
  kinds: readonly PackageKind[],
  change: PackageChange,
  context: ChangeContext,
): Promise<void> {
  const { organizationId, now } = context
  const { site } = change
  const rows: Insertable<Database['packages']>[] = []
  for (const kind of kinds) {
    const secret = await createEnrollmentSecret(tx, secrets, { name: secretNameOf(kind) }, context)
    rows.push({
      organization_id: organizationId,
      agent: kind.agent,
      platform: kind.platform,
      format: kind.format,
      ...columnsOf(site),
      build: 1,
      enrollment_secret_id: secret.id,
      built_at: now,
    })
  }
  const made = await tx.insertInto('packages').values(rows).returning('id').execute()
  const description = `Made the packages ${listTitles(kinds)} with an enrollment secret each.`
  await recordAudit(
    tx,
    { action: 'package.created', about: { package: made.map(({ id }) => id) }, description },
    context,
  )
}

const listTitles = (kinds: readonly PackageKind[]): string => kinds.map((kind) => `"${titleOf(kind)}"`).join(', ')

async function renewPackages(
  tx: Tx,
  rows: readonly PackageRow[],
  change: PackageChange,
  context: ChangeContext,
): Promise<void> {
  const { organizationId, now } = context
  const { site } = change
  await tx
    .updateTable('packages')
    .set((row) => ({ ...columnsOf(site), build: row('build', '+', 1), built_at: now }))
    .where(inOrganization('packages', organizationId))
    .where(
      'id',
      'in',
      rows.map(({ id }) => id),
    )
    .execute()
  const description = `Made the packages ${listTitles(rows)} again for version ${site.productVersion} at ${site.baseUrl}.`
  await recordAudit(
    tx,
    { action: 'package.updated', about: { package: rows.map(({ id }) => id) }, description },
    context,
  )
}

const columnsOf = ({ productVersion, baseUrl, caCertificate }: PackageSite) => ({
  product_version: productVersion,
  base_url: baseUrl,
  ca_certificate: caCertificate,
})
