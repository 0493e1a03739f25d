import type { SearchFields } from '@muster/contract/search.ts'
import Type from 'typebox'
import { organization, toggle } from './commands/shared-members.ts'
import { flag } from './describe-commands.ts'

export const maxListed = 10_000

export const limit = Type.Integer({ minimum: 1, maximum: maxListed })

/** What every list of records takes; a search is the API's, by these fields. */
export const listFlags = (search: SearchFields) => ({
  query: flag(
    '--query <search>',
    `only what this search of the API finds, by ${Object.keys(search).join(', ')}`,
    Type.Optional(Type.String({ maxLength: 10_000 })),
  ),
  limit: flag('--limit <n>', 'at most so many', limit, { default: 100 }),
  json: flag('--json', 'a record of the API per line', toggle),
  organization,
})
