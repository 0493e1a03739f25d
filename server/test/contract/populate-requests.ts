import type { TestApp } from '../support/app.ts'
import { makeIn } from '../support/make.ts'
import { minute, nameOf, numbers } from './plenty.ts'

/** What an organization has already when the rest is filled in. */
export type Parts = {
  harness: TestApp
  organizationId: string
  keep: (collection: string, id: string) => string
  people: readonly { id: string }[]
  devices: readonly { organization_id: string; id: string; form_factor: string }[]
  issues: readonly string[]
}

/** Requests of each status; the first three are still to be decided. */
export async function populateRequests({ harness, keep, people, devices, issues }: Parts): Promise<void> {
  const make = makeIn(harness.database)
  const [device, owner] = [devices[0], people[0]]
  const free = devices[6]
  if (!device || !owner || !free) throw new Error('There are devices and people')
  for (const index of numbers) {
    const columns = { requester_message: `Please, ${nameOf(index)}`, requested_at: minute(index) }
    const exemption = (['approved', 'denied', 'withdrawn'] as const)[index % 3] ?? 'open'
    const covered = issues.slice(index, index + 2).map((id) => ({ id }))
    const asked = { device, person: owner, issues: covered }
    const isOpen = index < 3
    const made = await make.exemptionRequest(asked, { ...columns, status: isOpen ? 'open' : exemption })
    keep('exemption_requests', made.id)
    const registration = index % 2 === 0 ? ('approved' as const) : ('denied' as const)
    const person = people[index] ?? owner
    const request = await make.registrationRequest(
      { device: free, person },
      { ...columns, status: isOpen ? 'pending' : registration },
    )
    keep('registration_requests', request.id)
  }
}
