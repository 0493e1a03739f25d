import { randomBytes } from 'node:crypto'
import { nodeKeyPurpose } from '../../src/agents/protocol/node-key.ts'
import { devicesSql } from './load-devices.ts'
import type { Trial } from './open-trial.ts'

export type BenchAgent = { deviceId: string; nodeKey: string }

/** Loads devices and gives each a node key, as though it had enrolled. */
export async function loadAgents(trial: Trial, count: number): Promise<BenchAgent[]> {
  await trial.load(devicesSql(trial.organizationId, count))
  const rows = await trial.load(
    `select id::text from devices where organization_id = ${trial.organizationId} order by id`,
  )
  const agents = rows
    .map((row) => String(row['id'] ?? ''))
    .filter((id) => id !== '')
    .map((deviceId) => ({ deviceId, nodeKey: randomBytes(32).toString('base64url') }))
  const hashes = agents.map(({ nodeKey }) => trial.secrets.lookupHash(nodeKeyPurpose, nodeKey).toString('hex'))
  await trial.load(`
    insert into node_key_lookups (lookup_hash, organization_id, device_id)
    select decode(hash, 'hex'), ${trial.organizationId}, id
    from unnest('{${hashes.join(',')}}'::text[], '{${agents.map(({ deviceId }) => deviceId).join(',')}}'::bigint[])
      as key (hash, id)`)
  return agents
}

/** So many custom checks for every platform, in place of those that are there. */
export const checksSql = (organizationId: string, count: number): string => `
  delete from checks where organization_id = ${organizationId};
  insert into checks (organization_id, slug, name, type, is_provided, platforms, description, sql_template,
    issue_title, rationale_template, fix_instructions_template, created_at)
  select ${organizationId}, 'bench-' || n, 'Bench check ' || n, 'custom', false, '{darwin,windows,linux}', 'Measures.',
    'select 1', 'Bench check ' || n || ' fails', 'Why.', 'How.', now()
  from generate_series(1, ${count}) as n;
  insert into check_configurations (organization_id, check_id, updated_at)
  select organization_id, id, now() from checks where organization_id = ${organizationId}`

/** Each check is yet to run on each device. */
export const pendingResultsSql = (organizationId: string): string => `
  set statement_timeout = 0;
  insert into check_results (organization_id, device_id, check_id, status)
  select devices.organization_id, devices.id, checks.id, 'pending'
  from devices join checks on checks.organization_id = devices.organization_id
  where devices.organization_id = ${organizationId}`
