type Person = { name: string; email: string }

export const describePerson = ({ name, email }: Person): string => `"${name}" (${email})`

export const describeIssues = ({ length }: readonly unknown[]): string =>
  length === 1 ? '1 issue' : `${length} issues`

/** The end of a sentence of the audit log: the reason, where one was given. */
export const describeReason = (reason: string | null): string => (reason === null ? '.' : `: "${reason}".`)

type ExemptionSubject = { device: { name: string }; request: { issue_ids: readonly string[] }; requester: Person }

export const describeExemptionRequest = ({ device, request, requester }: ExemptionSubject): string =>
  `the request of ${describePerson(requester)} to exempt ${describeIssues(request.issue_ids)} of the device "${device.name}"`

type WithPlace = { device: { id: string }; requester: { id: string } }

/** What entries of the audit log about a request are about. */
export const aboutRequest = ({ device, requester }: WithPlace) => ({ device: device.id, person: requester.id })

type RegistrationSubject = { device: { name: string }; requester: Person }

export const describeRegistrationRequest = ({ device, requester }: RegistrationSubject): string =>
  `the request of ${describePerson(requester)} to register the device "${device.name}"`
