import type { Static, TSchema } from 'typebox'
import type { ListQuery, Pagination } from '../pagination.ts'
import { administratorOperations } from './administrators.ts'
import { auditLogOperations } from './audit-logs.ts'
import { authLogOperations } from './auth-logs.ts'
import { checkResultOperations } from './check-results.ts'
import { checkOperations } from './checks.ts'
import { checkViewOperations } from './console-checks.ts'
import { developerViewOperations } from './console-developers.ts'
import { deviceViewOperations } from './console-devices.ts'
import { groupViewOperations } from './console-groups.ts'
import { issueViewOperations } from './console-issues.ts'
import { ownerOperations } from './console-owners.ts'
import { queryViewOperations } from './console-queries.ts'
import { recordViewOperations } from './console-records.ts'
import { sessionOperations } from './console-sessions.ts'
import { settingOperations } from './console-settings.ts'
import { signInOperations } from './console-sign-in.ts'
import { deviceOperations } from './devices.ts'
import { groupOperations } from './groups.ts'
import { issueOperations } from './issues.ts'
import { liveQueryOperations } from './live-queries.ts'
import { organizationOperations } from './organizations.ts'
import { packageOperations } from './packages.ts'
import type { PathParams } from './path-params.ts'
import { personOperations } from './people.ts'
import { personIdentityOperations } from './person-identities.ts'
import { reportingOperations } from './reporting.ts'
import { requestOperations } from './requests.ts'
import { signInExceptionOperations } from './sign-in-exceptions.ts'
import { receiverOperations } from './stream-receivers.ts'
import { streamOperations } from './streams.ts'
import { webhookOperations } from './webhooks.ts'

/** Every operation of the API and of the console, by its name. */
export const operations = {
  ...administratorOperations,
  ...auditLogOperations,
  ...authLogOperations,
  ...checkResultOperations,
  ...checkOperations,
  ...checkViewOperations,
  ...developerViewOperations,
  ...deviceViewOperations,
  ...groupViewOperations,
  ...issueViewOperations,
  ...ownerOperations,
  ...queryViewOperations,
  ...recordViewOperations,
  ...sessionOperations,
  ...settingOperations,
  ...signInExceptionOperations,
  ...signInOperations,
  ...deviceOperations,
  ...groupOperations,
  ...issueOperations,
  ...liveQueryOperations,
  ...organizationOperations,
  ...packageOperations,
  ...personOperations,
  ...personIdentityOperations,
  ...reportingOperations,
  ...requestOperations,
  ...receiverOperations,
  ...streamOperations,
  ...webhookOperations,
}

type Operations = typeof operations
export type OperationName = keyof Operations

/** Names of the operations whose answer is a file. */
export type FileOperationName = {
  [Name in OperationName]: Operations[Name] extends { kind: 'file' } ? Name : never
}[OperationName]

/** Names of the lists that also answer a CSV file. */
export type CsvListName = {
  [Name in OperationName]: Operations[Name] extends { hasCsv: true } ? Name : never
}[OperationName]

/** Names of the lists that also answer how many records there are. */
export type CountedListName = {
  [Name in OperationName]: Operations[Name] extends { hasCount: true } ? Name : never
}[OperationName]

type StaticOf<Schema> = Schema extends TSchema ? Static<Schema> : never
/** What JSON and a query can be written from: a member that may be left out may also be undefined. */
type Writable<Value> = Value extends readonly (infer Item)[]
  ? readonly Writable<Item>[]
  : Value extends object
    ? {
        readonly [Name in keyof Value]: Partial<Pick<Value, Name>> extends Pick<Value, Name>
          ? Writable<Value[Name]> | undefined
          : Writable<Value[Name]>
      }
    : Value

type QueryOf<Operation> = Operation extends { kind: 'list'; options: infer Options }
  ? StaticOf<Options> & ListQuery
  : Operation extends { kind: 'list' }
    ? ListQuery
    : Operation extends { kind: 'file'; options: infer Options }
      ? StaticOf<Options> & Pick<ListQuery, 'query'>
      : Operation extends { kind: 'file' }
        ? Pick<ListQuery, 'query'>
        : Operation extends { query: infer Query }
          ? StaticOf<Query>
          : never

type ParamsPart<Operation> = Operation extends { path: infer Path extends string }
  ? [keyof PathParams<Path>] extends [never]
    ? unknown
    : { readonly params: PathParams<Path> }
  : unknown
type QueryPart<Query> = [Query] extends [never]
  ? unknown
  : Partial<Query> extends Query
    ? { readonly query?: Writable<Query> }
    : { readonly query: Writable<Query> }
type BodyPart<Operation> = Operation extends { body: infer Body }
  ? { readonly body: Writable<StaticOf<Body>> }
  : unknown

/** The parts of a request for an operation: the parameters of its path, its query and its body. */
export type InputOf<Name extends OperationName> = ParamsPart<Operations[Name]> &
  QueryPart<QueryOf<Operations[Name]>> &
  BodyPart<Operations[Name]>

/** A page of a list. */
export type ListOf<Record> = { readonly data: readonly Record[]; readonly pagination: Pagination }

/** What an operation answers as JSON; undefined for none. */
export type AnswerOf<Name extends OperationName> = Operations[Name] extends { kind: 'list'; record: infer Record }
  ? ListOf<StaticOf<Record>>
  : Operations[Name] extends { answer: infer Answer }
    ? StaticOf<Answer>
    : undefined
