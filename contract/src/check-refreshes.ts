import Type, { type Static } from 'typebox'
import { Identifier, IdentifierInput, Timestamp } from './schema-kit.ts'

const maxChecksOfRefresh = 500

export const CheckRefreshRequest = Type.Object(
  {
    check_id: Type.Optional(IdentifierInput('The check to run again.')),
    check_ids: Type.Optional(
      Type.Array(IdentifierInput('A check to run again.'), {
        minItems: 1,
        maxItems: maxChecksOfRefresh,
        description: 'The checks to run again, all or none; instead of `check_id`.',
      }),
    ),
  },
  {
    title: 'CheckRefreshRequest',
    description:
      'Which checks to run again on a device: `check_id`, `check_ids`, or neither for all that run on the device.',
    examples: [{ check_id: '57' }, { check_ids: ['57', '58'] }, {}],
  },
)
export type CheckRefreshRequest = Static<typeof CheckRefreshRequest>

export const CheckRefresh = Type.Object(
  {
    device_id: Identifier('The device that runs the check.'),
    check_id: Identifier('The check that runs again; the first one if it is several.'),
    check_refresh_initiated_at: Timestamp('When the new run was asked for.'),
    data: Type.Array(
      Type.Object(
        { device_id: Identifier('The device.'), check_id: Identifier('A check that runs again.') },
        { description: 'A check that runs again on the device.' },
      ),
      { description: 'Every check that runs again, without repeats. An addition to the contract.' },
    ),
  },
  {
    title: 'CheckRefresh',
    description: 'That checks were asked to run again on a device.',
    examples: [
      {
        device_id: '1042',
        check_id: '57',
        check_refresh_initiated_at: '2026-11-20T09:14:03.120Z',
        data: [{ device_id: '1042', check_id: '57' }],
      },
    ],
  },
)
export type CheckRefresh = Static<typeof CheckRefresh>
