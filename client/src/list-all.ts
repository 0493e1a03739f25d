import type { ApiVersion, MusterClient, PathsByVersion } from './muster-client.ts'

type Envelope = { readonly data: readonly unknown[]; readonly pagination: { readonly next_cursor: string } }

type PageOf<Path> = Path extends {
  get: { responses: { 200: { content: { 'application/json': infer Page extends Envelope } } } }
}
  ? Page
  : never

type ParametersOf<Path> = Path extends { get: { parameters: infer Parameters } } ? Parameters : never

/** The paths that list records. */
export type ListPath<Version extends ApiVersion> = {
  [Path in keyof PathsByVersion[Version]]: [PageOf<PathsByVersion[Version][Path]>] extends [never] ? never : Path
}[keyof PathsByVersion[Version]]

/** Without headers and cursor, which the client sends itself. */
type Given<Parameters> = {
  [Place in keyof Parameters as Place extends 'path' | 'query' ? Place : never]: Parameters[Place]
}

type Listing<Version extends ApiVersion, Path extends keyof PathsByVersion[Version]> = Given<
  ParametersOf<PathsByVersion[Version][Path]>
> & { signal?: AbortSignal }

/**
 * Every record of a list, page after page, each page fetched when it is reached: `for await (const device of
 * listAll(client, '/devices', { query: { query: 'name~"mac"' } }))`. A page holds 100 records unless told otherwise.
 */
export async function* listAll<Version extends ApiVersion, Path extends ListPath<Version>>(
  client: MusterClient<Version>,
  path: Path,
  ...[listing]: object extends Listing<Version, Path> ? [Listing<Version, Path>?] : [Listing<Version, Path>]
): AsyncGenerator<PageOf<PathsByVersion[Version][Path]>['data'][number]> {
  // What the types allow for each path is more than can be said of all paths at once.
  const get = client.GET as unknown as (path: Path, init: object) => Promise<{ data: Envelope }>
  const { signal, ...given }: { signal?: AbortSignal; query?: object } = { ...listing }
  for (let cursor = ''; ; ) {
    const query = { per_page: 100, ...given.query, ...(cursor !== '' && { cursor }) }
    const { data: page } = await get(path, { params: { ...given, query }, ...(signal && { signal }) })
    yield* page.data as PageOf<PathsByVersion[Version][Path]>['data'][number][]
    cursor = page.pagination.next_cursor
    if (cursor === '') return
  }
}
