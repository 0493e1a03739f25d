import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { apiVersions } from '@muster/contract/versions.ts'
import { testApp } from '../../../test/support/app.ts'
import { testOnPostgres } from '../../../test/support/database.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { findEnrollmentSecret } from '../protocol/enrollment-queries.ts'
import { revokeEnrollmentSecret } from '../protocol/revoke-enrollment-secret.ts'
import { ensureAllPackages, ensurePackages } from './ensure-packages.ts'
import { titleOf, wantedPackages } from './package-kinds.ts'
import { rebuildPackage } from './rebuild-package.ts'
import { ownRuntime } from './runtimes/own-runtime.ts'

const app = testApp()
/** Those of a server that nothing was added to. */
const packageKinds = wantedPackages(ownRuntime(), [])
const missing = { error: 'not_found', message: 'There is no such record.' }
const site = { baseUrl: 'https://trust.example.com', caCertificate: null, productVersion: '1.2.0' }
const now = '2026-11-20T10:00:00.000Z'
const later = '2026-12-01T10:00:00.000Z'

beforeEach(() => app.reset())

const ensure = (changed: Partial<typeof site> = {}, at = now, organizationId = app.tenant.organizationId) =>
  transact(app.db, (tx) =>
    ensurePackages(tx, app.secrets, { site: { ...site, ...changed } }, systemChange(organizationId, at)),
  )

const rebuild = (id: string) =>
  transact(app.db, (tx) =>
    rebuildPackage(tx, app.secrets, { id, site }, systemChange(app.tenant.organizationId, later)),
  )

type Shown = { id: string; format: string; agent: string; [field: string]: unknown }

const list = async (): Promise<Shown[]> => (await app.ask('GET', '/packages')).body.data
const ofFormat = async (format: string): Promise<Shown> => {
  const found = (await list()).find((one) => one.agent === 'osquery' && one.format === format)
  return found ?? assert.fail(`no package ${format}`)
}

const download = (id: string, key = app.tenant.key) =>
  app.app.inject({ url: `/package_downloads/${id}`, headers: { authorization: `Bearer ${key}` } })

const audits = async (): Promise<string[]> =>
  (await app.ask('GET', '/audit_logs?per_page=100')).body.data.map(
    (entry: { description: string }) => entry.description,
  )

const secretIn = (script: string): string => /'([\w-]{43})' > "\$folder"\/enroll_secret/.exec(script)?.[1] ?? ''
const isInForce = async (secret: string): Promise<boolean> =>
  (await findEnrollmentSecret(app.db, app.secrets.lookupHash('enrollment secret', secret), later)) !== undefined

for (const version of apiVersions) {
  const headers = { 'x-service-api-version': version }

  test(`listPackages and getPackage answer a package of each kind in version ${version}`, async () => {
    await ensure()
    const { status, body } = await app.ask('GET', '/packages', { headers, key: app.tenant.readOnlyKey })
    assert.equal(status, 200)
    assert.deepEqual(
      body.data.map(({ agent, platform, format, architecture, node_version: version }: Shown) => {
        return { agent, platform, format, architecture, node_version: version, node_sha256: null }
      }),
      packageKinds,
    )
    const [first] = body.data
    assert.deepEqual(first, {
      built_at: now,
      id: first.id,
      url: `https://muster.test/package_downloads/${first.id}`,
      version: '1.2.0-1',
      agent: 'osquery',
      platform: 'linux',
      format: 'deb',
      architecture: 'any',
      node_version: null,
      file_name: 'muster-osquery_1.2.0-1_all.deb',
      problem: null,
    })
    const record = await app.ask('GET', `/packages/${first.id}`, { headers, key: app.tenant.readOnlyKey })
    assert.deepEqual([record.status, record.body], [200, first])
    const page = await app.ask('GET', '/packages?per_page=1', { headers })
    const rest = await app.ask('GET', `/packages?cursor=${page.body.pagination.next_cursor}`, { headers })
    assert.deepEqual([...page.body.data, ...rest.body.data], body.data)
  })

  test(`downloadPackage returns the file, and the audit log says to whom, in version ${version}`, async () => {
    await ensure()
    const { id } = await ofFormat('sh')
    const reading = await app.ask('GET', `/package_downloads/${id}`, { headers, key: app.tenant.readOnlyKey })
    assert.deepEqual([reading.status, reading.body.error], [403, 'permission_missing'])
    const authorization = `Bearer ${await app.addKey(['download_packages'])}`
    const answer = await app.app.inject({ url: `/package_downloads/${id}`, headers: { ...headers, authorization } })
    const sha256 = createHash('sha256').update(answer.rawPayload).digest('hex')
    const { etag, 'content-type': type, 'content-disposition': disposition, 'content-length': length } = answer.headers
    assert.deepEqual(
      [answer.statusCode, etag, type, disposition, length],
      [
        200,
        `"${sha256}"`,
        'application/x-sh',
        'attachment; filename="muster-osquery-1.2.0-1-macos.sh"',
        String(answer.rawPayload.length),
      ],
    )
    assert.ok(await isInForce(secretIn(answer.payload)))
    const entries = (await app.ask('GET', '/audit_logs?per_page=100')).body.data
    assert.deepEqual(
      entries
        .filter(({ description }: { description: string }) => description.startsWith('Downloaded'))
        .map(({ actor_name, description }: Record<string, string>) => [actor_name, description]),
      [
        [
          'Another key',
          'Downloaded the package "muster-osquery-1.2.0-1-macos.sh" with the enrollment secret "Package osquery for macOS (.sh)".',
        ],
      ],
    )
  })
}

test('a download needs a key, and an unknown or foreign package is the same 404', async () => {
  const other = await app.addTenant('Globex')
  await ensure({}, now, other.organizationId)
  const { id } = (await app.ask('GET', '/packages', { key: other.key })).body.data[0]
  for (const url of [`/packages/${id}`, `/package_downloads/${id}`, '/package_downloads/900000000000000001']) {
    const { status, body } = await app.ask('GET', url)
    assert.deepEqual([status, body], [404, missing], url)
  }
  assert.equal((await app.ask('GET', `/package_downloads/${id}`, { key: undefined })).status, 401)
  assert.equal((await app.ask('GET', '/package_downloads/x')).status, 404)
  assert.ok(!(await audits()).some((text) => text.startsWith('Downloaded')))
})

test('a package is the same bytes every time, also for requests that meet, and other bytes when it is rebuilt', async () => {
  await ensure()
  for (const { id, platform } of await list()) {
    // The packages for Linux hold a Node and take seconds; other tests install them.
    if (platform === 'linux') continue
    const [one, two, three] = await Promise.all([download(id), download(id), download(id)])
    assert.deepEqual([one?.statusCode, one?.rawPayload], [200, two?.rawPayload])
    assert.deepEqual(three?.rawPayload, (await download(id)).rawPayload)
    await rebuild(id)
    assert.notDeepEqual((await download(id)).rawPayload, one?.rawPayload)
  }
})

test('packages are made once, and a repeat writes nothing', async () => {
  assert.deepEqual(await ensure(), { made: packageKinds.length, changed: 0 })
  assert.match(
    (await audits())[0] ?? '',
    /^Made the packages "osquery for Linux \(\.deb\)", .* with an enrollment secret each\.$/,
  )
  const before = [await list(), await audits()]
  assert.deepEqual(await ensure({}, later), { made: 0, changed: 0 })
  await ensureAllPackages(app.db, app.secrets, site, later)
  assert.deepEqual([await list(), await audits()], before)
})

test('a start makes the packages of every organization that lacks some', async () => {
  const other = await app.addTenant('Globex')
  await ensureAllPackages(app.db, app.secrets, site, now)
  for (const key of [app.tenant.key, other.key]) {
    assert.equal((await app.ask('GET', '/packages', { key })).body.pagination.count, packageKinds.length)
  }
})

test('another version, address or authority makes packages again with the secret that they had', async () => {
  await ensure()
  const { id } = await ofFormat('sh')
  const secret = secretIn((await download(id)).payload)
  const changes = [{ productVersion: '1.3.0-rc.1' }, { baseUrl: 'https://other.example.com:8443' }]
  for (const changed of changes) assert.equal((await ensure(changed, later)).changed, packageKinds.length)
  const again = await ofFormat('sh')
  assert.deepEqual([again.id, again['version'], again['built_at']], [id, '1.2.0-3', later])
  const script = (await download(id)).payload
  assert.equal(secretIn(script), secret)
  assert.match(script, /--tls_hostname=other\.example\.com:8443$/m)
  assert.match((await audits())[0] ?? '', /^Downloaded/)
  assert.match(
    (await audits())[1] ?? '',
    /^Made the packages "osquery for Linux \(\.deb\)", .* again for version 1\.2\.0 at/,
  )
})

test('a package whose secret was revoked says so, and a rebuild gives it another and ends its copies', async () => {
  const { organizationId } = app.tenant
  await ensure()
  const { id } = await ofFormat('sh')
  const [secret, revoked] = [secretIn((await download(id)).payload), await ofFormat('ps1')]
  const { enrollment_secret_id } = await app.db
    .selectFrom('packages')
    .select('enrollment_secret_id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', revoked.id)
    .executeTakeFirstOrThrow()
  await transact(app.db, (tx) =>
    revokeEnrollmentSecret(tx, { id: enrollment_secret_id }, systemChange(organizationId, now)),
  )
  const problem = 'Its enrollment secret was revoked: muster packages rebuild gives it another.'
  assert.equal((await ofFormat('ps1'))['problem'], problem)
  assert.equal(await rebuild(revoked.id), 'muster-osquery-1.2.0-2-windows.ps1')
  assert.deepEqual(await ofFormat('ps1'), {
    ...revoked,
    built_at: later,
    version: '1.2.0-2',
    file_name: 'muster-osquery-1.2.0-2-windows.ps1',
    problem: null,
  })
  assert.ok(await isInForce(secret))
  await rebuild(id)
  assert.ok(!(await isInForce(secret)))
  assert.ok(await isInForce(secretIn((await download(id)).payload)))
  assert.equal(
    (await audits())[1],
    'Made the package "muster-osquery-1.2.0-1-macos.sh" again as "muster-osquery-1.2.0-2-macos.sh" with another enrollment secret.',
  )
  await assert.rejects(rebuild('900000000000000001'), { code: 'not_found' })
})

test('the enrollment secret of a package is sealed at rest', async () => {
  await ensure()
  const secret = secretIn((await download((await ofFormat('sh')).id)).payload)
  const stored = await app.db.selectFrom('enrollment_secrets').selectAll().execute()
  assert.ok(stored.length === packageKinds.length && secret.length === 43)
  for (const row of stored) assert.ok(!row.sealed_secret.includes(secret))
})

test('a start makes the packages of a new kind beside those that an organization has', async () => {
  await ensure()
  const before = await list()
  await app.db.deleteFrom('packages').where('agent', '=', 'muster_companion').execute()
  await ensureAllPackages(app.db, app.secrets, site, later)
  const others = before.filter(({ agent }) => agent !== 'muster_companion')
  const made = packageKinds.filter(({ agent }) => agent === 'muster_companion')
  const after = await list()
  assert.deepEqual(after.slice(0, others.length), others)
  assert.deepEqual(
    after.slice(others.length).map(({ agent, format, built_at }) => [agent, format, built_at]),
    [
      ['muster_companion', 'deb', later],
      ['muster_companion', 'tar.gz', later],
    ],
  )
  assert.equal(
    (await audits())[0],
    `Made the packages ${made.map((kind) => `"${titleOf(kind)}"`).join(', ')} with an enrollment secret each.`,
  )
})

testOnPostgres('starts that meet make each package once', async () => {
  await Promise.all(Array.from({ length: 5 }, () => ensure()))
  assert.equal((await list()).length, packageKinds.length)
  assert.equal((await app.db.selectFrom('enrollment_secrets').select('id').execute()).length, packageKinds.length)
})
