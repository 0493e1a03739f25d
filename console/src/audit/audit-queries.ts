import { type AuditAction, auditActions, isAuditAction } from '@muster/contract/audit-actions.ts'
import { type AuditSubjectKind, auditSubjectWords } from '@muster/contract/audit-subjects.ts'
import type { AuditViewFilter } from '@muster/contract/console-records.ts'
import { query } from '../api/query.ts'
import { given, readAfter, readChoice, readText, sentenceOf } from '../components/read-filters.ts'

export const actorWords = { User: 'Administrator', ApiKey: 'API key', System: 'The service', Person: 'Person' } as const
export const sinceWords = { '24h': '24 hours', '7d': '7 days', '30d': '30 days' } as const

/** What stands in the address of the log. */
export type AuditFilters = {
  readonly q?: string
  readonly actor?: keyof typeof actorWords
  readonly action?: AuditAction
  readonly since?: keyof typeof sinceWords
  /** `device:1042`: the record that entries are about. */
  readonly about?: string
  readonly after?: string
}

function readSubject(about: unknown): string | undefined {
  const [kind = '', id = '', ...more] = typeof about === 'string' ? about.split(':') : []
  const isSubject = Object.hasOwn(auditSubjectWords, kind) && /^\d{1,18}$/.test(id) && more.length === 0
  return isSubject ? `${kind}:${id}` : undefined
}

const readAction = (action: unknown): AuditAction | undefined =>
  typeof action === 'string' && isAuditAction(action) ? action : undefined

export const readAuditFilters = (raw: Readonly<Record<string, unknown>>): AuditFilters =>
  given({
    q: readText(raw, 'q'),
    actor: readChoice(raw, 'actor', ['User', 'ApiKey', 'System', 'Person'] as const),
    action: readAction(raw['action']),
    since: readChoice(raw, 'since', ['24h', '7d', '30d'] as const),
    about: readSubject(raw['about']),
    ...readAfter(raw),
  })

/** "Device 1042". */
export function aboutInWords(about: string): string {
  const [kind, id] = about.split(':')
  return `${auditSubjectWords[kind as AuditSubjectKind]} ${id}`
}

export const auditFiltersInWords = ({ q, actor, action, since, about }: AuditFilters): string =>
  sentenceOf([
    q && `text contains “${q}”`,
    actor && `the actor is ${actorWords[actor]}`,
    action && `the action is “${auditActions[action]}”`,
    since && `it was within ${sinceWords[since]}`,
    about && `it is about ${aboutInWords(about)}`,
  ])

export const auditFilterOf = ({ q, actor, action, since, about }: AuditFilters): AuditViewFilter =>
  given({ search: q, actor_type: actor, action, since, subject: about }) as AuditViewFilter

export const auditViewsQuery = (filter: AuditViewFilter, after?: string, per_page = 50) =>
  query('listAuditViews', { query: { ...filter, per_page, cursor: after } }, { pace: 'usual' })
