import { type RawBuilder, sql } from 'kysely'
import { equalsFolded } from '../../base/db/folded.ts'
import { foldText } from '../../base/fold-text.ts'
import { parseDateTime } from '../../base/lists/parse-date-time.ts'
import { groupUrn } from './group-schema.ts'
import { isUserId } from './member-changes.ts'
import type { Filter } from './parse-filter.ts'
import { refuse } from './scim-error.ts'
import { userUrn } from './user-schema.ts'

type Comparison = Extract<Filter, { compValue: unknown }>
type Condition = (comparison: Comparison) => RawBuilder<boolean> | undefined

/** What can be asked of a resource, by names in lower case. Every condition is served by an index. */
type Conditions = Readonly<Record<string, Condition>>

export const whereUsers = (filter: Filter): RawBuilder<boolean> => where(filter, userConditions, userUrn)

export const whereGroups = (filter: Filter): RawBuilder<boolean> => where(filter, groupConditions, groupUrn)

function where(filter: Filter, conditions: Conditions, urn: string): RawBuilder<boolean> {
  const again = (inner: Filter) => where(inner, conditions, urn)
  if (filter.op === 'and')
    return ofOneEmail(filter) ?? sql<boolean>`(${sql.join(filter.filters.map(again), sql` and `)})`
  if (filter.op === 'or') return sql<boolean>`(${sql.join(filter.filters.map(again), sql` or `)})`
  const condition = 'compValue' in filter ? conditionOf(filter, conditions, urn) : ofElement(filter)
  return condition ?? refuse(400, 'invalidFilter', 'The filter asks for what cannot be searched.')
}

function conditionOf(comparison: Comparison, conditions: Conditions, urn: string): RawBuilder<boolean> | undefined {
  const path = comparison.attrPath.toLowerCase()
  const prefix = `${urn.toLowerCase()}:`
  const name = path.startsWith(prefix) ? path.slice(prefix.length) : path
  return Object.hasOwn(conditions, name) ? conditions[name]?.(comparison) : undefined
}

const equals =
  (condition: (value: string) => RawBuilder<boolean>): Condition =>
  ({ op, compValue }) =>
    op === 'eq' && typeof compValue === 'string' ? condition(compValue) : undefined

const nobody = sql<boolean>`false`

const signs: Partial<Record<Comparison['op'], RawBuilder<unknown>>> = {
  eq: sql`=`,
  gt: sql`>`,
  ge: sql`>=`,
  lt: sql`<`,
  le: sql`<=`,
}

const moment =
  (column: string): Condition =>
  ({ op, compValue }) => {
    const at = typeof compValue === 'string' ? parseDateTime(compValue) : undefined
    const sign = signs[op]
    return at === undefined ? undefined : sign && sql<boolean>`${sql.ref(column)} ${sign} ${at}::timestamptz`
  }

const withEmail = (value: string) => sql<boolean>`scim_users.emails @> array[${foldText(value)}]::text[]`

const userConditions: Conditions = {
  id: equals((id) => (isUserId(id) ? sql<boolean>`scim_users.person_id = ${id}::bigint` : nobody)),
  username: equals((name) => equalsFolded('scim_users.user_name', name)),
  externalid: equals((id) => sql<boolean>`scim_users.external_id = ${id}`),
  displayname: equals((name) => equalsFolded(sql`scim_users.attributes ->> 'displayName'`, name)),
  emails: equals(withEmail),
  'emails.value': equals(withEmail),
  'meta.lastmodified': moment('scim_users.updated_at'),
  active: ({ op, compValue }) => {
    const word = String(compValue).toLowerCase()
    if (op !== 'eq' || (word !== 'true' && word !== 'false')) return undefined
    const isWanted = word === 'true' ? sql`is null` : sql`is not null`
    // Not by the join of the lists, which counting does without.
    return sql<boolean>`exists (
      select from people where people.organization_id = scim_users.organization_id
        and people.id = scim_users.person_id and people.deprovisioned_at ${isWanted})`
  },
}

const withMember = (id: string) =>
  isUserId(id)
    ? sql<boolean>`exists (
        select from person_group_members where person_group_members.organization_id = scim_groups.organization_id
          and person_group_members.person_group_id = scim_groups.person_group_id
          and person_group_members.person_id = ${id}::bigint)`
    : nobody

const groupConditions: Conditions = {
  id: equals((id) => (isUserId(id) ? sql<boolean>`scim_groups.person_group_id = ${id}::bigint` : nobody)),
  displayname: equals((name) => equalsFolded('scim_groups.display_name', name)),
  externalid: equals((id) => sql<boolean>`scim_groups.external_id = ${id}`),
  members: equals(withMember),
  'members.value': equals(withMember),
  'meta.lastmodified': moment('scim_groups.updated_at'),
}

/** `emails[value eq "…"]` and `members[value eq "…"]`, also with the type of the address. */
function ofElement(filter: Filter): RawBuilder<boolean> | undefined {
  if (filter.op !== '[]') return undefined
  const parts = filter.valFilter.op === 'and' ? filter.valFilter.filters : [filter.valFilter]
  const asked = new Map<string, string>()
  for (const part of parts) {
    if (part.op !== 'eq' || typeof part.compValue !== 'string') return undefined
    asked.set(part.attrPath.toLowerCase(), part.compValue)
  }
  const [value, type] = [asked.get('value'), asked.get('type')]
  if (value === undefined || asked.size !== parts.length || asked.size !== (type === undefined ? 1 : 2))
    return undefined
  const path = filter.attrPath.toLowerCase()
  if (path === 'members') return type === undefined ? withMember(value) : undefined
  return path === 'emails' ? emailOfType(value, type) : undefined
}

/** Entra asks for `emails[type eq "work"].value eq "…"`, which is read as two conditions. */
function ofOneEmail({ filters }: { filters: readonly Filter[] }): RawBuilder<boolean> | undefined {
  const [element, comparison, ...others] = filters
  if (element?.op !== '[]' || comparison?.op !== 'eq' || others.length > 0) return undefined
  if (element.attrPath.toLowerCase() !== 'emails' || comparison.attrPath.toLowerCase() !== 'emails.value')
    return undefined
  const value: Filter = { op: 'eq', attrPath: 'value', compValue: comparison.compValue }
  const parts = element.valFilter.op === 'and' ? element.valFilter.filters : [element.valFilter]
  return ofElement({ op: '[]', attrPath: 'emails', valFilter: { op: 'and', filters: [...parts, value] } })
}

function emailOfType(value: string, type: string | undefined): RawBuilder<boolean> {
  if (type === undefined) return withEmail(value)
  return sql<boolean>`(${withEmail(value)} and exists (
    select from jsonb_array_elements(scim_users.attributes -> 'emails') as email (element)
    where ${equalsFolded(sql`element ->> 'value'`, value)} and ${equalsFolded(sql`element ->> 'type'`, type)}))`
}
