import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApiKey } from '../../src/access/api-keys/create-api-key.ts'
import { buildApp } from '../../src/app.ts'
import { loadConfig } from '../../src/base/config/load-config.ts'
import type { KeyPurpose } from '../../src/base/db/schema.ts'
import { transact } from '../../src/base/db/transact.ts'
import { createLogger } from '../../src/base/logging.ts'
import { keyPurposeNames, keyPurposes } from '../../src/keys/key-purposes.ts'
import { ensureSigningKey, nothingWaits, rotateSigningKey } from '../../src/keys/rotate-signing-key.ts'
import { createEntraConnection } from '../../src/sign-in/connections/create-entra-connection.ts'
import { recordAudit } from '../../src/signals/audit/record-audit.ts'
import { startStreams } from '../../src/signals/streams/start-streams.ts'
import { baseUrl } from '../support/app.ts'
import { appId, tenantId } from '../support/entra-stand-in.ts'
import { wholeSignIn } from '../support/whole-sign-in.ts'

const { agents, database, make, setUp, change } = wholeSignIn()

/** The purpose of each address of a key set. A new one has to say here what its keys are for. */
const purposes: Readonly<Record<string, KeyPurpose>> = {
  '/ssf/jwks.json': 'signals',
  '/ssf/:organizationId/jwks.json': 'signals',
  '/signin/oidc/jwks': 'oidc',
  '/signin/entra/:connection/jwks': 'entra',
}

type Key = { kid: string; alg: string }

test('a published set has the keys of one purpose of one organization, wherever it is published', async (context) => {
  const all = await setUp()
  const { organizationId } = all
  const other = await make.organization()
  const kids = new Map<KeyPurpose, string[]>()
  for (const purpose of keyPurposeNames) {
    const now = agents.now()
    await ensureSigningKey(database.db, agents.secrets, { organizationId: other.id, purpose }, now)
    const ring = { organizationId, purpose }
    await ensureSigningKey(database.db, agents.secrets, ring, now)
    const rotation = { ring, isEmergency: false, resign: nothingWaits, record: recordAudit }
    await rotateSigningKey(database.db, agents.secrets, rotation, change(organizationId))
    const rows = await database.db
      .selectFrom('signing_keys')
      .select('kid')
      .where('organization_id', '=', organizationId)
      .where('purpose', '=', purpose)
      .execute()
    kids.set(purpose, rows.map(({ kid }) => kid).toSorted())
  }
  const asked = {
    name: 'Microsoft 365',
    cloud: 'global' as const,
    tenantIds: [tenantId],
    appId,
    mode: 'enforce' as const,
  }
  const entra = await transact(database.db, (tx) => createEntraConnection(tx, asked, change(organizationId)))
  await database.db.updateTable('organizations').set({ base_url: null }).execute()
  await make.stream(organizationId, { issuer: `/ssf/${organizationId}` })
  // Ten seconds after the last look at the keys.
  agents.pass(20)

  const config = loadConfig({ MUSTER_BASE_URL: baseUrl, LOG_LEVEL: 'silent' })
  const { connection } = database
  const parts = { connection, secrets: agents.secrets, clock: () => agents.now(), log: createLogger('silent') }
  const streams = await startStreams({ ...config, ...parts })
  const app = buildApp({ config, ...parts, streams: streams.parts, agents: agents.context })
  context.after(async () => {
    await app.close()
    await streams.stop()
  })
  await app.ready()
  const has = (keys: readonly Key[], purpose: KeyPurpose, where: string) => {
    assert.deepEqual(keys.map(({ kid }) => kid).toSorted(), kids.get(purpose), where)
    assert.deepEqual([...new Set(keys.map(({ alg }) => alg))], [keyPurposes[purpose].algorithm], where)
  }
  const headers = { host: new URL(baseUrl).host }

  const urls = app.routes
    .filter(({ method, url }) => [method].flat().includes('GET') && /jwks/.test(url))
    .map(({ url }) => url)
  assert.deepEqual([...new Set(urls)].toSorted(), Object.keys(purposes).toSorted())
  for (const [url, purpose] of Object.entries(purposes)) {
    const path = url.replace(':organizationId', organizationId).replace(':connection', entra.id)
    const answer = await app.inject({ url: path, headers })
    assert.equal(answer.statusCode, 200, url)
    has(answer.json().keys, purpose, url)
  }

  const contact = await all.laptop.companion.checkIn()
  has(contact.body.challenge_keys.keys as Key[], 'challenge', 'a contact')

  const granted = { name: 'Key', responsibleAdministrator: 'Ada', permissions: { manage_ssf_streams: 'For the test.' } }
  const { key } = await transact(database.db, (tx) => createApiKey(tx, agents.secrets, granted, change(organizationId)))
  const { id } = await database.db.selectFrom('ssf_streams').select('id').executeTakeFirstOrThrow()
  const issuer = await app.inject({
    url: `/ssf_streams/${id}/issuer`,
    headers: { ...headers, authorization: `Bearer ${key}` },
  })
  has(issuer.json().keys, 'signals', 'the issuer of a stream')
})
