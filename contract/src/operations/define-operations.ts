import type { TObject, TSchema } from 'typebox'
import type { AdminPower } from '../admin-powers.ts'
import type { Feature } from '../features.ts'
import type { Permission } from '../permissions.ts'
import type { SearchFields } from '../search.ts'
import type { ApiVersion } from '../versions.ts'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** What an operation needs of an administrator in the console in addition to the permission that keys need. */
export type InConsole = {
  /** Instead of the permission. */
  readonly power?: AdminPower
  /** A proof of identity of the last minutes: always, or where the body has this member. */
  readonly needsFreshProof?: true | { readonly toChange: string }
}

/** `public` needs no key, `read` any key, a permission a key that holds it. */
export type Access = 'public' | 'read' | Permission

type ForKeys = {
  /** With `:name` for parameters. */
  readonly path: string
  readonly permission: Access
  readonly inConsole?: InConsole
  readonly feature?: Feature
  readonly versions?: readonly ApiVersion[]
  readonly summary: string
  readonly description?: string
  readonly tag: string
  /** Path parameters that are no record identifiers, each with its description. */
  readonly textParams?: Readonly<Record<string, string>>
}

type Json = ForKeys & {
  /** PATCH serves PUT as well. */
  readonly method: Method
  readonly query?: TSchema
  readonly body?: TSchema
  /** The query or the body names the record, instead of the path. */
  readonly namesRecord?: true
  /** A POST by which a stream is only read: the scope `ssf.read` is enough. */
  readonly isReading?: true
  /** A body of another form is a 400 instead of a 422, where a protocol asks for it. */
  readonly faultsAreMalformed?: true
  /** Left out: the answer has no body, and its status is 204. */
  readonly answer?: TSchema
  readonly status?: 200 | 201
}

type List = ForKeys & {
  readonly record: TSchema
  readonly search?: SearchFields
  /** Query parameters in addition to those of every list. */
  readonly options?: TObject
  /** `format=csv` answers all records as one CSV file instead of a page. */
  readonly hasCsv?: true
  /** `count=true` answers how many records there are instead of a page. */
  readonly hasCount?: true
}

/** What the file of an answer is, and the media types it may have. */
export type FileDescription = { readonly description: string; readonly mediaTypes: readonly string[] }

type File = ForKeys & { readonly file: FileDescription; readonly search?: SearchFields; readonly options?: TObject }

type ForBrowsers = {
  readonly method: Method
  readonly path: string
  readonly summary: string
  readonly query?: TSchema
  readonly body?: TSchema
  /** Left out: the answer has no body, and its status is 204. */
  readonly answer?: TSchema
}

type Session = ForBrowsers & {
  /** What a signed-in administrator needs. */
  readonly requires: 'own_account' | 'read' | AdminPower
  readonly needsFreshProof?: true
  readonly feature?: Feature
  /** For an administrator who still has to set up the second factor that the organization requires. */
  readonly isBeforeFactor?: true
}

type Open = ForBrowsers & {
  /** A page of another site may lead here, as the identity provider's does. */
  readonly isFromAnywhere?: true
}

/** Refuses what the kind of operation does not know, which a generic type lets through otherwise. */
type Exactly<Known, Given> = Given & Readonly<Record<Exclude<keyof Given, keyof Known>, never>>

/** An operation that takes and answers JSON: of the API, or of the console where the tag says so. */
export const json = <const Given extends Json>(given: Exactly<Json, Given>) => ({
  ...(given as Given),
  kind: 'json' as const,
})

/** A list: searched, paged by cursor, in the envelope of all lists. */
export const list = <const Given extends List>(given: Exactly<List, Given>) => ({
  ...(given as Given),
  kind: 'list' as const,
  method: 'GET' as const,
})

/** An operation that answers a file. */
export const file = <const Given extends File>(given: Exactly<File, Given>) => ({
  ...(given as Given),
  kind: 'file' as const,
  method: 'GET' as const,
})

/** An operation of the console for signed-in administrators; no key can do it. */
export const session = <const Given extends Session>(given: Exactly<Session, Given>) => ({
  ...(given as Given),
  kind: 'session' as const,
})

/** An operation of the console's own pages before anyone has signed in. */
export const open = <const Given extends Open>(given: Exactly<Open, Given>) => ({
  ...(given as Given),
  kind: 'open' as const,
})

/** An address that a browser opens, and that leads to another page. */
export const page = <const Given extends Open>(given: Exactly<Open, Given>) => ({
  ...(given as Given),
  kind: 'page' as const,
})

/** Server-sent events for signed-in administrators. */
export const events = <const Given extends Session>(given: Exactly<Session, Given>) => ({
  ...(given as Given),
  kind: 'events' as const,
})

export const csv: FileDescription = { description: 'The rows.', mediaTypes: ['text/csv'] }

/**
 * What an operation is: JSON for keys and for sessions alike (`json`, `list`, `file`), JSON for sessions (`session`) and for
 * visitors who have not signed in (`open`), a page that leads on (`page`), or server-sent events (`events`).
 */
export type OperationKind = 'json' | 'list' | 'file' | 'session' | 'open' | 'page' | 'events'
type Named<Table> = { readonly [Name in keyof Table]: Table[Name] & { readonly operationId: Name } }

/** The operations of one area, each with its name. */
export function defineOperations<
  const Table extends Readonly<Record<string, { kind: OperationKind; method: Method; path: string }>>,
>(table: Table): Named<Table> {
  const named = Object.entries(table).map(([operationId, operation]) => [operationId, { ...operation, operationId }])
  return Object.fromEntries(named) as Named<Table>
}
