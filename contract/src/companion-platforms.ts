import Type, { type Static } from 'typebox'
import { computerTypes } from './computer-types.ts'
import { packageArchitectures } from './packages.ts'
import { Choice, Text } from './schema-kit.ts'

export const CompanionPlatforms = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          device_type: Choice(computerTypes, 'The platform.'),
          nodes: Type.Array(
            Type.Object(
              {
                architecture: Choice(packageArchitectures, 'The processor that packages are for.'),
                needs: Text('What they need of the system, as the end of a sentence.'),
              },
              { description: 'A processor that there are packages for.' },
            ),
            { description: 'Each processor that there are packages for.' },
          ),
        },
        { description: 'A platform that this server makes a companion for.' },
      ),
      { description: 'Each platform that this server makes a companion for.' },
    ),
    missing: Type.Array(
      Type.Object(
        {
          device_type: Choice(computerTypes, 'The platform.'),
          architecture: Choice(packageArchitectures, 'The processor.'),
          node_version: Text('Version of the Node that the command adds.'),
          command: Text('What the operator runs on the server.'),
        },
        { description: 'A Node that this server does not have.' },
      ),
      { description: 'What the operator can add, so that there are packages for more computers.' },
    ),
  },
  {
    title: 'CompanionPlatforms',
    description: 'Where a companion can be installed: what proves at a sign-in which device it is.',
    examples: [
      {
        data: [{ device_type: 'Linux', nodes: [{ architecture: 'x64', needs: 'glibc 2.28 or later on x64' }] }],
        missing: [
          {
            device_type: 'Linux',
            architecture: 'arm64',
            node_version: '26.12.1',
            command: 'muster packages add-runtime linux-arm64',
          },
        ],
      },
    ],
  },
)
export type CompanionPlatforms = Static<typeof CompanionPlatforms>
