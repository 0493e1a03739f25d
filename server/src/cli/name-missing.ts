import { messages, ServiceError } from '../base/errors.ts'
import { plainText } from './table.ts'

type Subject = { called: string; listedBy?: string }
type Subjects = Readonly<Record<string, Subject>>

const device = { called: 'device', listedBy: 'muster devices list' }
const check = { called: 'check', listedBy: 'muster checks list' }
const upstream = { called: 'upstream', listedBy: 'muster upstreams list' }

/** What the arguments of each group name; of one command alone where it stands before the argument. */
const subjectsOf: Readonly<Record<string, Subjects>> = {
  admins: { id: { called: 'administrator', listedBy: 'muster admins list' } },
  scim: { id: { called: 'token', listedBy: 'muster scim list-tokens' } },
  connections: { id: { called: 'connection', listedBy: 'muster connections list' }, upstreamId: upstream },
  upstreams: { id: upstream },
  streams: { stream: { called: 'stream', listedBy: 'muster streams list' } },
  webhooks: {
    endpoint: { called: 'webhook endpoint', listedBy: 'muster webhooks list' },
    delivery: { called: 'delivery', listedBy: 'muster webhooks log <endpoint>' },
  },
  audit: { device },
  devices: { id: device, other: device, 'restore id': { called: 'deleted device' } },
  requests: {
    device,
    id: { called: 'request', listedBy: 'muster requests list --all' },
    'withdraw id': { called: 'exemption request', listedBy: 'muster requests list --all' },
  },
  groups: { group: { called: 'device group', listedBy: 'muster groups list' } },
  keys: {
    id: { called: 'key', listedBy: 'muster keys list' },
    kid: { called: 'signing key', listedBy: 'muster keys list-signing' },
  },
  'enrollment-secrets': { id: { called: 'secret', listedBy: 'muster enrollment-secrets list' } },
  packages: { id: { called: 'package', listedBy: 'muster packages list' } },
  checks: {
    id: check,
    'configure check': check,
    'releaseHold id': { called: 'hold', listedBy: 'muster checks holds list' },
    'discardHold id': { called: 'hold', listedBy: 'muster checks holds list' },
  },
  drafts: { id: { called: 'draft', listedBy: 'muster drafts list' }, fromCheck: { ...check, called: 'custom check' } },
  'live-queries': { id: { called: 'live query', listedBy: 'muster live-queries list' } },
  reports: { id: { called: 'reporting query', listedBy: 'muster reports list' } },
}

/**
 * The error of a command of the group; one that only says that something is missing names what was asked for and the
 * command that lists what there is.
 */
export function nameMissing(error: unknown, group: string, command: string, args: object): unknown {
  const isBare = error instanceof ServiceError && error.code === 'not_found' && error.message === messages.not_found
  if (!isBare) return error
  const subjects = subjectsOf[group] ?? {}
  const asked = Object.entries(args).flatMap(([name, value]) => {
    const subject = subjects[`${command} ${name}`] ?? subjects[name]
    return subject && typeof value === 'string' ? [{ ...subject, value: plainText(value) }] : []
  })
  if (asked.length === 0) return error
  const what = asked.map(({ called, value }) => `no ${called} ${value}`).join(', or ')
  const lists = [...new Set(asked.flatMap(({ listedBy }) => listedBy ?? []))].join(', ')
  const message = lists === '' ? `There is ${what}.` : `There is ${what}: ${lists}`
  return new ServiceError('not_found', { message, cause: error })
}
