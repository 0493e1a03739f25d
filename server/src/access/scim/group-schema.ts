import type { ResourceSchema } from './attribute.ts'

export const groupUrn = 'urn:ietf:params:scim:schemas:core:2.0:Group'

/** RFC 7643 §4.2. Members are users; groups within groups are not kept. */
export const groupSchema: ResourceSchema = {
  id: groupUrn,
  name: 'Group',
  description: 'A group of people',
  attributes: [
    {
      name: 'displayName',
      type: 'string',
      required: true,
      uniqueness: 'server',
      description: 'The name of the group; unique whatever its case.',
    },
    {
      name: 'members',
      type: 'complex',
      multiValued: true,
      description: 'Who is in the group.',
      subAttributes: [
        { name: 'value', type: 'string', mutability: 'immutable', description: 'The identifier of the user.' },
        {
          name: '$ref',
          type: 'reference',
          referenceTypes: ['User'],
          mutability: 'immutable',
          description: 'The address of the user.',
        },
        { name: 'display', type: 'string', mutability: 'readOnly', description: 'The name of the person.' },
        {
          name: 'type',
          type: 'string',
          canonicalValues: ['User'],
          mutability: 'immutable',
          description: 'The type of the member.',
        },
      ],
    },
  ],
}
