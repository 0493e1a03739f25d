import { deviceProfile, usualWeights } from '@muster/agent/simulate/device-profile.ts'
import { fractionOf } from '../../src/agents/protocol/due-rules.ts'
import { hourMs } from '../../src/base/time.ts'
import { type BenchAgent, loadAgents } from './load-agents.ts'
import type { Trial } from './open-trial.ts'

const deviceTypes = { darwin: 'Mac', windows: 'Windows', linux: 'Linux' } as const

/**
 * The devices that the simulator plays, as a fleet that has been running: enrolled, and with a result of each of the
 * organization's checks from the device's last turn, so that its next one comes within the hour. The stored results
 * are not what the simulator answers: every first answer is a change.
 */
export async function loadFleet(trial: Trial, count: number, seed: number): Promise<BenchAgent[]> {
  const agents = await loadAgents(trial, count)
  const types = agents.map((_, index) => deviceTypes[deviceProfile(seed, index, usualWeights).platform])
  const now = Date.now()
  const turns = agents.map(({ deviceId }) => {
    const offsetMs = Math.ceil(fractionOf(deviceId) * hourMs)
    return new Date(now - ((now - offsetMs) % hourMs)).toISOString()
  })
  await trial.load(`
    set statement_timeout = 0;
    create table bench_turns (device_id bigint primary key, device_type text, ran_at timestamptz);
    insert into bench_turns select * from unnest(
      '{${agents.map(({ deviceId }) => deviceId).join(',')}}'::bigint[], '{${types.join(',')}}'::text[],
      '{${turns.join(',')}}'::timestamptz[]);
    update devices set device_type = bench_turns.device_type from bench_turns
    where devices.id = bench_turns.device_id and devices.organization_id = ${trial.organizationId};
    insert into check_results (organization_id, device_id, check_id, status, rows, rows_digest, query_revision, ran_at)
    select checks.organization_id, bench_turns.device_id, checks.id, 'passing', '[{"KOLIDE_CHECK_STATUS": "PASS"}]',
      '\\x00', configuration.query_revision, bench_turns.ran_at
    from bench_turns
    join checks on checks.organization_id = ${trial.organizationId} and checks.platforms @> array[
      case bench_turns.device_type when 'Mac' then 'darwin' when 'Windows' then 'windows' else 'linux' end]
    join check_configurations as configuration
      on configuration.organization_id = checks.organization_id and configuration.check_id = checks.id
    order by bench_turns.device_id, checks.id;
    insert into check_tallies (organization_id, check_id, shard, counted, passing)
    select organization_id, check_id, device_id % 32, count(*), count(*) from check_results group by 1, 2, 3;
    drop table bench_turns`)
  await trial.analyze()
  return agents
}
