import Type, { type Static } from 'typebox'
import { computerTypes } from './computer-types.ts'
import { Choice, Text } from './schema-kit.ts'

export const CompanionPlatforms = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          device_type: Choice(computerTypes, 'The platform.'),
          needs: Text('What the companion needs of the system, as the end of a sentence.'),
        },
        { description: 'A platform that this server makes a companion for.' },
      ),
      { description: 'Each platform that this server makes a companion for.' },
    ),
  },
  {
    title: 'CompanionPlatforms',
    description: 'Where a companion can be installed: what proves at a sign-in which device it is.',
    examples: [{ data: [{ device_type: 'Linux', needs: 'glibc 2.28 or later' }] }],
  },
)
export type CompanionPlatforms = Static<typeof CompanionPlatforms>
