import type { DeprovisionedPerson, Person } from '@muster/contract/people.ts'
import type { PersonRow } from './queries.ts'

export const presentPerson = (row: PersonRow): Person => ({
  id: row.id,
  name: row.name,
  email: row.email,
  created_at: row.created_at,
  last_authenticated_at: row.last_authenticated_at,
  has_registered_device: row.has_registered_device,
  usernames: row.usernames,
})

/** `url` makes the full address of a path of this API. */
export const presentDeprovisionedPerson = (
  row: PersonRow,
  { url }: { url: (path: string) => string },
): DeprovisionedPerson => ({
  id: row.id,
  name: row.name,
  email: row.email,
  created_at: row.created_at,
  last_authenticated_at: row.last_authenticated_at,
  has_registered_device: row.has_registered_device,
  api_url: url(`/deprovisioned_people/${row.id}`),
})
