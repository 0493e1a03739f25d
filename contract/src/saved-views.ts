import Type, { type Static } from 'typebox'
import { Choice, Text } from './schema-kit.ts'

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
export type SavedView = {
  readonly id: string
  readonly name: string
  readonly filters: string
  readonly is_shared: boolean
  /** Whether whoever asks may delete it. */
  readonly is_own: boolean
}
