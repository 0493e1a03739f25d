import Type, { type Static } from 'typebox'
import { Choice, Flag, Identifier, Text } from './schema-kit.ts'

/** The lists of the console that have filters. */
export const savedViewPages = [
  'devices',
  'people',
  'device_groups',
  'person_groups',
  'checks',
  'check_results',
  'issues',
  'exemption_requests',
  'registration_requests',
  'live_queries',
  'sign_ins',
  'audit',
  'stream_events',
  'webhook_deliveries',
] as const
export type SavedViewPage = (typeof savedViewPages)[number]

export const SavedViewCreation = Type.Object(
  {
    page: Choice(savedViewPages, 'The list that the view is of.'),
    name: Text('What the view is called.', { minLength: 1, maxLength: 60 }),
    filters: Text('The query of the address of the list, without its question mark.', { maxLength: 2_000 }),
    is_shared: Type.Boolean({ description: 'Whether all administrators see it.' }),
  },
  {
    title: 'SavedViewCreation',
    description: 'Filters of a list, to be kept under a name.',
    examples: [{ page: 'devices', name: 'Macs that block soon', filters: 'platform=Mac&view=soon', is_shared: true }],
    additionalProperties: false,
  },
)
export type SavedViewCreation = Static<typeof SavedViewCreation>

/** Filters of a list under a name. */
export const SavedView = Type.Object(
  {
    id: Identifier('Identifier of the view.'),
    name: Text('What the view is called.'),
    filters: Text('The query of the address of the list, without its question mark.'),
    is_shared: Flag('Whether all administrators see it.'),
    is_own: Flag('Whether the administrator who asks may delete it.'),
  },
  {
    title: 'SavedView',
    description: 'Filters of a list under a name.',
    examples: [
      { id: '7', name: 'Macs that block soon', filters: 'platform=Mac&view=soon', is_shared: true, is_own: true },
    ],
  },
)
export type SavedView = Static<typeof SavedView>

export const SavedViews = Type.Object(
  { data: Type.Array(SavedView, { description: 'The views of a list, by name.' }) },
  { title: 'SavedViews', description: 'The views of a list.', examples: [{ data: [] }] },
)
