import type { QueryAnswer } from '../sql/open-engine.ts'

/**
 * The machine's identity, by which the server finds its device. Empty where the machine does not say. Rejects where nothing answers, as
 * in the middle of an installation of osquery: a key that enrolled without an identity would never be linked.
 */
export async function readHardware(
  run: (sql: string) => Promise<QueryAnswer>,
): Promise<{ uuid: string; serial: string }> {
  const answer = await run('SELECT uuid, hardware_serial FROM system_info')
  if (!answer.ok) throw new Error(`the identity of this machine cannot be read: ${answer.message}`)
  const [row] = answer.rows
  return { uuid: row?.['uuid'] ?? '', serial: row?.['hardware_serial'] ?? '' }
}
