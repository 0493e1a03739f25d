/** From this version on osquery answers truly what a check asks on a system; below it the answer is not believed. */
export type AgentNeed = {
  platform: 'darwin' | 'windows' | 'linux'
  /** The first major release of the system that it is about; absent: every release. */
  fromRelease?: number
  /** Such as "5.23.0". */
  osquery: string
}

/**
 * A common table expression `agent` of one row, whose `needs_osquery` is the version that the check needs, or null where
 * the agent has it. Rows that cannot be believed are UNKNOWN, and carry that column: from it come the reason that people
 * read and the count of what an upgrade of osquery would settle (docs/checks.md).
 */
export function agentNeeds(needs: readonly AgentNeed[]): string {
  const cases = needs.map(
    ({ platform, fromRelease, osquery }) =>
      `WHEN o.platform = '${platform}'${fromRelease === undefined ? '' : ` AND o.major >= ${fromRelease}`} AND version_compare(i.version, '${osquery}') < 0 THEN '${osquery}'`,
  )
  return `agent AS (
  SELECT MAX(CASE ${cases.join('\n    ')} END) AS needs_osquery
  FROM (SELECT 1) one LEFT JOIN os_version o ON 1 LEFT JOIN osquery_info i ON 1)`
}
