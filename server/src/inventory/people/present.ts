import type { DeprovisionedPerson, Person } from '@muster/contract/people.ts'
import type { Links } from '../../base/links.ts'
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

export const presentDeprovisionedPerson = (row: PersonRow, links: Links): DeprovisionedPerson => ({
  id: row.id,
  name: row.name,
  email: row.email,
  created_at: row.created_at,
  last_authenticated_at: row.last_authenticated_at,
  has_registered_device: row.has_registered_device,
  api_url: links.url(`/people/${row.id}`),
})
