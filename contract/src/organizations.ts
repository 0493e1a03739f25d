import Type, { type Static } from 'typebox'
import { Identifier, Text } from './schema-kit.ts'

export const WhoAmI = Type.Object(
  {
    organization_id: Identifier('Identifier of the organization that the key belongs to.'),
    organization_name: Text('Name of the organization that the key belongs to.'),
  },
  {
    title: 'WhoAmI',
    description: 'The organization that a key speaks for.',
    examples: [{ organization_id: '1', organization_name: 'Acme Corporation' }],
  },
)
export type WhoAmI = Static<typeof WhoAmI>
