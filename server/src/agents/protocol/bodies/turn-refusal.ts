import type { TurnRefusal } from '../../../base/jobs/turns-by-organization.ts'

const statuses = { busy: 503, gone: 499 } as const

/** What an agent is told that gets no turn. */
export const turnRefusal = <Why extends TurnRefusal>(why: Why, messages: Readonly<Record<Why, string>>): Error =>
  Object.assign(new Error(messages[why]), { statusCode: statuses[why] })
