/**
 * The name of an account in a query that calls `users` u. People of Microsoft Entra and domains have none where Windows cannot
 * look it up, and their rows would be nobody's.
 */
export const accountName = `coalesce(nullif(u.username, ''), u.uuid) AS username`

export const accountNameText = (text: string): string =>
  `${text}; its security identifier where Windows cannot look up the name.`

/** A column of a query without the numbers below 0 that osquery gives where the system does not tell. */
export const toldNumber = (column: string): string => `CASE WHEN ${column} >= 0 THEN ${column} ELSE '' END AS ${column}`

/** A column of text without the `-1` that osquery gives where the system does not tell. */
export const toldText = (column: string): string =>
  `CASE WHEN ${column} <> '-1' THEN ${column} ELSE '' END AS ${column}`
