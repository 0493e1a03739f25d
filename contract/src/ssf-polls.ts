import Type, { type Static } from 'typebox'
import { Text } from './schema-kit.ts'

const token = 'eyJhbGciOiJSUzI1NiIsInR5cCI6InNlY2V2ZW50K2p3dCJ9…'
const jti = '5f0d3c2a-4b57-4d3e-9a55-0c0f7c7e5a11'

export const SsfPoll = Type.Object(
  {
    maxEvents: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Tokens wanted at most: 100 unless told otherwise, never more than 1,000. 0 only acknowledges.',
      }),
    ),
    returnImmediately: Type.Optional(
      Type.Boolean({
        description: 'Whether to answer at once; otherwise up to 30 seconds pass until something is new.',
      }),
    ),
    ack: Type.Optional(
      Type.Array(Text('Identifier of a token.', { maxLength: 200 }), {
        maxItems: 10_000,
        description: 'Tokens that have been taken in: they never come again. Unknown ones are passed over.',
      }),
    ),
    setErrs: Type.Optional(
      Type.Unsafe<Record<string, { err: string; description?: string }>>({
        type: 'object',
        maxProperties: 10_000,
        additionalProperties: {
          type: 'object',
          properties: {
            err: { type: 'string', minLength: 1, maxLength: 200 },
            description: { type: 'string', maxLength: 2_000 },
          },
          required: ['err'],
        },
        description: 'Tokens that cannot be taken in, each with what is wrong: they do not come again either.',
      }),
    ),
  },
  {
    title: 'SsfPoll',
    description:
      'A poll for event tokens (RFC 8936 §2.4). With `ack` or `setErrs`, and neither `maxEvents` nor `returnImmediately`, it only acknowledges. Other members are passed over.',
    examples: [{ ack: [jti], maxEvents: 100, returnImmediately: true }],
  },
)
export type SsfPoll = Static<typeof SsfPoll>

export const SsfPollAnswer = Type.Object(
  {
    sets: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Signed event tokens by their identifiers; empty when there is nothing.',
    }),
    moreAvailable: Type.Optional(Type.Boolean({ description: 'True when more is there already; left out otherwise.' })),
  },
  {
    title: 'SsfPollAnswer',
    description: 'Event tokens that have not been acknowledged (RFC 8936 §2.4.1).',
    examples: [{ sets: { [jti]: token } }],
  },
)
export type SsfPollAnswer = Static<typeof SsfPollAnswer>
