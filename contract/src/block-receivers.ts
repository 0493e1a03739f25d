import Type, { type Static } from 'typebox'
import { Count } from './schema-kit.ts'

export const BlockReceivers = Type.Object(
  {
    connections: Count('Sign-in connections that refuse a blocked device.'),
    streams: Count('Enabled streams that hear when a device is blocked.'),
    webhooks: Count('Enabled webhook endpoints that hear of it.'),
    failing: Count('How many of these streams and webhook endpoints fail now.'),
  },
  {
    title: 'BlockReceivers',
    description: 'What a block reaches: with none of them it does not affect sign-in.',
    examples: [{ connections: 1, streams: 2, webhooks: 1, failing: 0 }],
  },
)
export type BlockReceivers = Static<typeof BlockReceivers>
