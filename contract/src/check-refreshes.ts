import Type, { type Static } from 'typebox'
import { Identifier, IdentifierInput, Timestamp } from './schema-kit.ts'

export const CheckRefreshRequest = Type.Object(
  { check_id: IdentifierInput('The check to run again.') },
  {
    title: 'CheckRefreshRequest',
    description: 'Which check to run again on a device.',
    examples: [{ check_id: '57' }],
  },
)
export type CheckRefreshRequest = Static<typeof CheckRefreshRequest>

export const CheckRefresh = Type.Object(
  {
    device_id: Identifier('The device that runs the check.'),
    check_id: Identifier('The check that runs again.'),
    check_refresh_initiated_at: Timestamp('When the new run was asked for.'),
  },
  {
    title: 'CheckRefresh',
    description: 'That a check was asked to run again on a device.',
    examples: [{ device_id: '1042', check_id: '57', check_refresh_initiated_at: '2026-11-20T09:14:03.120Z' }],
  },
)
export type CheckRefresh = Static<typeof CheckRefresh>
