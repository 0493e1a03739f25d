import { readFileSync } from 'node:fs'

/** The version of Muster. */
export const { version: ownVersion } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string }
