import { type Insertable, sql } from 'kysely'
import { type ChangeContext, systemChange } from '../../base/change-context.ts'
import type { Database } from '../../base/db/schema.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { createEnrollmentSecret } from '../protocol/create-enrollment-secret.ts'
import { listWantedPackages, type PackageKind, titleOf, type WantedPackage } from './package-kinds.ts'
import { removeUnnamedParts } from './parts/keep-parts.ts'
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
  const wanted = await listWantedPackages(tx)
  const present = await findPackages(tx, context.organizationId)
  const missing: WantedPackage[] = []
  const outdated: Renewal[] = []
  const taken = new Set<string>()
  for (const kind of wanted) {
    const row = present.find((one) => isKind(one, kind)) ?? present.find((one) => isUnfinished(one, kind, wanted))
    if (!row) missing.push(kind)
    else if (!isCurrent(row, change.site) || !isAs(row, kind)) outdated.push({ ...kind, id: row.id })
    if (row) taken.add(row.id)
  }
  // Those whose Node is gone keep up with the rest, for when it is there again.
  const others = present.filter((row) => !taken.has(row.id) && !isCurrent(row, change.site))
  if (missing.length > 0) await addPackages(tx, secrets, missing, change, context)
  if (outdated.length + others.length > 0) await renewPackages(tx, [...outdated, ...others], change, context)
  return { made: missing.length, changed: outdated.length + others.length }
}

type Renewal = WantedPackage & { id: string }

/**
 * What a start does, and a command that has changed the runtimes: every organization is looked at in one statement, and only those
 * that need it are written, each in a transaction of its own. Returns how many those were.
 */
export async function ensureAllPackages(db: Db, secrets: Secrets, site: PackageSite, now: string): Promise<number> {
  const wanted = (await listWantedPackages(db)).map(keyOf)
  const { rows } = await sql<{ id: string }>`
    select organizations.id
    from organizations
    where (
      select count(*) from packages
      where packages.organization_id = organizations.id
        and packages.product_version = ${site.productVersion}
        and packages.base_url = ${site.baseUrl}
        and packages.ca_certificate is not distinct from ${site.caCertificate}
        and concat_ws(' ', agent, platform, format, architecture, coalesce(node_version, '-'), coalesce(node_sha256, '-'))
          = any(${wanted}::text[])
    ) < ${wanted.length}
    order by organizations.id`.execute(db)
  for (const { id: organizationId } of rows) {
    await transact(db, (tx) => ensurePackages(tx, secrets, { site }, systemChange(organizationId, now)))
  }
  await removeUnnamedParts(db)
  return rows.length
}

/** As the statement above makes it of a row. */
const keyOf = ({ agent, platform, format, architecture, node_version: version, node_sha256: hash }: WantedPackage) =>
  [agent, platform, format, architecture, version ?? '-', hash ?? '-'].join(' ')

/** Two starts, or a start and a command, come one after the other. */
export async function lockPackages(tx: Tx, organizationId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`packages ${organizationId}`}, 0))`.execute(tx)
}

const isKind = (row: PackageKind, { agent, platform, format, architecture }: PackageKind) =>
  row.agent === agent && row.platform === platform && row.format === format && row.architecture === architecture

/** An earlier version did not say for which processor a package is: such a row is the one with the server's own Node. */
const isUnfinished = (row: PackageKind, kind: WantedPackage, wanted: readonly WantedPackage[]) =>
  isKind(row, { ...kind, architecture: 'any' }) &&
  kind.node_version !== null &&
  kind.node_sha256 === null &&
  !wanted.some((one) => isKind(row, one))

const isAs = (row: WantedPackage, { architecture, node_version: version, node_sha256: hash }: WantedPackage) =>
  row.architecture === architecture && row.node_version === version && row.node_sha256 === hash

const isCurrent = (row: PackageRow, { productVersion, baseUrl, caCertificate }: PackageSite) =>
  row.product_version === productVersion && row.base_url === baseUrl && row.ca_certificate === caCertificate

/** Named after the package, in the list of secrets and in the audit log. */
export const secretNameOf = (kind: PackageKind): string => `Package ${titleOf(kind)}`

async function addPackages(
  tx: Tx,
  secrets: Secrets,
  kinds: readonly WantedPackage[],
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
      ...{ format: kind.format, architecture: kind.architecture },
      ...{ node_version: kind.node_version, node_sha256: kind.node_sha256 },
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
  rows: readonly Renewal[],
  change: PackageChange,
  context: ChangeContext,
): Promise<void> {
  const { organizationId, now } = context
  const { site } = change
  await sql`
    update packages set
      product_version = ${site.productVersion}, base_url = ${site.baseUrl}, ca_certificate = ${site.caCertificate},
      architecture = renewed.architecture, node_version = renewed.node_version, node_sha256 = renewed.node_sha256,
      build = build + 1, built_at = ${now}::timestamptz
    from unnest(
      ${rows.map(({ id }) => id)}::bigint[], ${rows.map(({ architecture }) => architecture)}::text[],
      ${rows.map(({ node_version: version }) => version)}::text[], ${rows.map(({ node_sha256: hash }) => hash)}::text[]
    ) as renewed (id, architecture, node_version, node_sha256)
    where packages.organization_id = ${organizationId}::bigint and packages.id = renewed.id`.execute(tx)
  const description = `Made the packages ${listTitles(rows)} again for version ${site.productVersion} at ${site.baseUrl}${withNodes(rows)}.`
  await recordAudit(
    tx,
    { action: 'package.updated', about: { package: rows.map(({ id }) => id) }, description },
    context,
  )
}

/** Which Node those of them bring that bring one. */
function withNodes(rows: readonly Renewal[]): string {
  const versions = [...new Set(rows.flatMap(({ node_version: version }) => version ?? []))]
  return versions.length === 0 ? '' : `, with Node ${versions.join(' and ')}`
}

const columnsOf = ({ productVersion, baseUrl, caCertificate }: PackageSite) => ({
  product_version: productVersion,
  base_url: baseUrl,
  ca_certificate: caCertificate,
})
