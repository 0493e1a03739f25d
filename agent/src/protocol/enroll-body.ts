import { standInVersion } from '../linux/agent-itself.ts'
import type { QueryRunner } from '../sql/query-runner.ts'
import type { AgentFacts } from '../tables/table.ts'

/** osquery's bit mask of platforms. */
const platformTypes: Partial<Record<NodeJS.Platform, string>> = { linux: '9', darwin: '21', win32: '2' }

const detailTables = ['os_version', 'osquery_info', 'system_info', 'platform_info']

/** The enroll request: the first row of each table that tells which machine this is. */
export async function enrollBody(
  runner: QueryRunner,
  facts: AgentFacts,
  secret: string,
): Promise<Record<string, unknown>> {
  const details: Record<string, Record<string, string>> = {}
  for (const table of detailTables) {
    const answer = await runner.run(`SELECT * FROM ${table}`, facts)
    details[table] = (answer.ok ? answer.rows[0] : undefined) ?? {}
  }
  // Where osqueryi answers, the row is a real osquery's; the agent that enrolls is still the stand-in.
  details['osquery_info'] = { ...details['osquery_info'], version: standInVersion, build_platform: 'standin' }
  const identifier = details['osquery_info']['uuid'] || facts.instanceId
  return {
    enroll_secret: secret,
    host_identifier: identifier,
    platform_type: platformTypes[process.platform] ?? '0',
    host_details: details,
  }
}
