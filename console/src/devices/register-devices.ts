import type { InputOf } from '@muster/contract/operations/all-operations.ts'
import { api } from '../api/api.ts'

type Registration = InputOf<'registerDevices'>['body']['registrations'][number]

/** One step of registering devices to people. */
export async function registerDevices(registrations: readonly Registration[]) {
  const answer = await api('registerDevices', { body: { registrations: [...registrations] } })
  return { done: answer.registered_count + answer.unchanged_count, refused: answer.refused }
}
