import type { ListOf } from '@muster/contract/operations/all-operations.ts'
import type { ApiVersion } from '@muster/contract/versions.ts'
import type { Arguments, CallOf, PathOf, ResultOf } from './calls.ts'
import type { MusterClient } from './muster-client.ts'

type RecordAt<Version extends ApiVersion, Path> =
  ResultOf<Version, 'GET', Path> extends ListOf<infer Record> ? Record : never

/** The paths that list records. */
export type ListPath<Version extends ApiVersion> = {
  [Path in PathOf<Version, 'GET'>]: [RecordAt<Version, Path>] extends [never] ? never : Path
}[PathOf<Version, 'GET'>]

/**
 * Every record of a list, page after page, each page fetched when it is reached: `for await (const device of
 * listAll(client, '/devices', { query: { query: 'name~"mac"' } }))`. A page holds 100 records unless told otherwise.
 */
export async function* listAll<Version extends ApiVersion, Path extends ListPath<Version>>(
  client: MusterClient<Version>,
  path: Path,
  ...[call]: Arguments<CallOf<Version, 'GET', Path>>
): AsyncGenerator<RecordAt<Version, Path>> {
  // What the types allow for each path is more than can be said of all paths at once.
  const get = client.get as unknown as (path: Path, call: object) => Promise<ListOf<RecordAt<Version, Path>>>
  const given = call as { query?: object } | undefined
  for (let cursor = ''; ; ) {
    const page = await get(path, {
      ...given,
      query: { per_page: 100, ...given?.query, ...(cursor !== '' && { cursor }) },
    })
    yield* page.data
    cursor = page.pagination.next_cursor
    if (cursor === '') return
  }
}
