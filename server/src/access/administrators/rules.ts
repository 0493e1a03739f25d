import { adminPowerNames, restrictionsLeaving } from '@muster/contract/admin-powers.ts'
import type { AdminAccess } from '@muster/contract/admin-users.ts'
import { isEmailAddress } from '@muster/contract/email-address.ts'
import type { FieldError } from '@muster/contract/errors.ts'

export type AdminRights = { access: AdminAccess; restrictions: readonly string[] }
export type AdminDetails = AdminRights & { firstName: string; lastName: string; email: string }

/** Limited access begins with nothing; what it may do is chosen. */
export const startingRestrictions = (access: AdminAccess): readonly string[] =>
  access === 'limited' ? restrictionsLeaving([]) : []

const maxNameLength = 200

export function faultsOfRights({ access, restrictions }: AdminRights): FieldError[] {
  const isNamed = restrictions.every((restriction) => adminPowerNames.some((power) => power === restriction))
  return [
    fault(isNamed, 'restrictions', `must be of ${adminPowerNames.join(', ')}`),
    fault(new Set(restrictions).size === restrictions.length, 'restrictions', 'must not name anything twice'),
    fault(access === 'limited' || restrictions.length === 0, 'restrictions', 'are for limited access only'),
  ].filter((found) => found !== undefined)
}

export function faultsOfAdmin(admin: AdminDetails): FieldError[] {
  const { firstName, lastName, email } = admin
  return [
    fault(firstName.trim() !== '', 'first_name', 'must not be blank'),
    fault(firstName.length <= maxNameLength && isPlain(firstName), 'first_name', nameFault),
    fault(lastName.length <= maxNameLength && isPlain(lastName), 'last_name', nameFault),
    fault(isEmailAddress(email), 'email', 'must be an e-mail address'),
    ...faultsOfRights(admin),
  ].filter((found) => found !== undefined)
}

const nameFault = `must be text of at most ${maxNameLength} characters`

const fault = (isFine: boolean, field: string, message: string): FieldError | undefined =>
  isFine ? undefined : { field, message }

/** What the database can hold and a line of the audit log can show. */
const isPlain = (text: string): boolean => text.isWellFormed() && !/\p{Cc}/u.test(text)

/** As the audit log says it. */
export function describeRights({ access, restrictions }: AdminRights): string {
  if (access === 'full') return 'full access'
  if (access === 'billing_only') return 'access to billing only'
  const names = restrictions.map((restriction) => `"${restriction}"`).join(', ')
  return names === '' ? 'limited access without restrictions' : `limited access with the restrictions ${names}`
}

export const describeAdmin = (admin: { first_name: string; last_name: string; email: string }): string =>
  `the administrator "${`${admin.first_name} ${admin.last_name}`.trim()}" (${admin.email})`
