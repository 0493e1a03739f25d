/** Parts of the service that an organization's plan may leave out; a call to one that is off answers 401. */
export const features = {
  write_api: { title: 'Write API', description: 'Calls that change records, for keys that hold the permission.' },
  ssf: { title: 'Shared Signals', description: 'Streams that tell receivers of compliance changes.' },
  live_query: { title: 'Live Query', description: 'Queries that run on chosen devices at once.' },
  reporting: { title: 'Reporting', description: 'Reporting tables and reporting queries.' },
  custom_checks: {
    title: 'Custom Checks',
    description: 'Checks that the organization writes itself, and their drafts.',
  },
  scim: { title: 'SCIM', description: 'People and groups provisioned by an identity provider.' },
} as const satisfies Record<string, { title: string; description: string }>

export type Feature = keyof typeof features
