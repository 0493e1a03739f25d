import type { QueryAnswer } from '../sql/open-engine.ts'

/** The machine's identity, by which the server finds its device. Empty where the machine does not say. */
export async function readHardware(
  run: (sql: string) => Promise<QueryAnswer>,
): Promise<{ uuid: string; serial: string }> {
  const answer = await run('SELECT uuid, hardware_serial FROM system_info')
  const row = answer.ok ? answer.rows[0] : undefined
  return { uuid: row?.['uuid'] ?? '', serial: row?.['hardware_serial'] ?? '' }
}
