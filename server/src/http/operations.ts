import type { Feature } from '@muster/contract/features.ts'
import type {
  Access,
  FileDescription,
  InConsole,
  OperationKind,
} from '@muster/contract/operations/define-operations.ts'
import type { SearchFields } from '@muster/contract/search.ts'
import type { ApiVersion } from '@muster/contract/versions.ts'
import type { TSchema } from 'typebox'
import type { RouteToken } from './authenticate.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What a route declares, for the OpenAPI documents and for the policy that every route must meet. */
export type Operation = {
  readonly kind: OperationKind
  readonly operationId: string
  readonly method: Method
  /** With `:name` for parameters. */
  readonly path: string
  readonly versions: readonly ApiVersion[]
  readonly summary: string
  readonly description: string | undefined
  readonly tag: string
  readonly access: Access
  readonly feature: Feature | undefined
  readonly inConsole?: InConsole | undefined
  /** Path parameters that are no record identifiers, with what they are. */
  readonly textParams: Readonly<Record<string, string>>
  readonly query: TSchema | undefined
  readonly body: TSchema | undefined
  readonly answer: TSchema | undefined
  /** The query or the body names the record, which may be missing. */
  readonly namesRecord?: true | undefined
  /** What a list answers where one record of it is asked for. */
  readonly alternative?: TSchema | undefined
  /** A POST by which a stream is only read. */
  readonly isReading?: true | undefined
  /** A bearer token, other than a key, that is accepted for this operation alone. */
  readonly routeToken?: RouteToken | undefined
  /** A body of another form is a 400 instead of a 422. */
  readonly faultsAreMalformed?: true | undefined
  /** Set where the answer is a file instead of JSON. */
  readonly file: FileDescription | undefined
  readonly status: number
  /** Set for lists. */
  readonly search: SearchFields | undefined
}
