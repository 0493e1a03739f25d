import type {
  AnswerOf,
  FileOperationName,
  InputOf,
  OperationName,
  operations,
} from '@muster/contract/operations/all-operations.ts'
import type { ApiVersion } from '@muster/contract/versions.ts'

type Operations = typeof operations
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** `/devices/:deviceId/open_issues` as the documents write it: `/devices/{deviceId}/open_issues`. */
type Braced<Path> = Path extends `${infer Before}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer After}`
    ? `${Before}{${Name}}/${Braced<After>}`
    : `${Before}{${Rest}}`
  : Path

/** The path of an operation that a key can call by this method in this version; the console's own are not among them. */
type PathFor<Operation, Version, Sent> = Operation extends { tag: 'Console' }
  ? never
  : Operation extends { versions: readonly (infer Known)[] }
    ? Version extends Known
      ? Documented<Operation, Sent>
      : never
    : Documented<Operation, Sent>

type Documented<Operation, Sent> = Operation extends { permission: string; method: Sent; path: infer Path }
  ? Braced<Path>
  : never

/** Names of operations by their paths. */
type NamesByPath<Version, Sent> = {
  [Name in keyof Operations as PathFor<Operations[Name], Version, Sent> & string]: Name
}

/** The paths that an API version has for a method, such as `/devices/{id}`. */
export type PathOf<Version extends ApiVersion, Sent extends Method> = keyof NamesByPath<Version, Sent>

type NameAt<Version, Sent, Path> =
  NamesByPath<Version, Sent> extends Readonly<Record<Path & string, infer Name extends OperationName>> ? Name : never

export type CallOptions = {
  /** Ends the call, and the wait before it is sent again. */
  readonly signal?: AbortSignal
}

/** What a call takes: `params` of the path, `query` and `body`, as far as the operation has them, and a signal. */
export type CallOf<Version extends ApiVersion, Sent extends Method, Path> = InputOf<NameAt<Version, Sent, Path>> &
  CallOptions

/** The last argument of a call, which may be left out where nothing in it is required. */
export type Arguments<Call> = Partial<Call> extends Call ? [call?: Call] : [call: Call]

/** What a call resolves to: the JSON of the answer, the response itself where it is a file, undefined for no content. */
export type ResultOf<Version extends ApiVersion, Sent extends Method, Path> =
  NameAt<Version, Sent, Path> extends FileOperationName ? Response : AnswerOf<NameAt<Version, Sent, Path>>
