import type { Reader } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { findOrganization } from '../../inventory/organizations/queries.ts'

/** Fails with feature_unavailable where the plan of the organization has no custom checks. */
export async function requireCustomChecks(reader: Reader, organizationId: string): Promise<void> {
  const { disabled_features: disabled } = orNotFound(await findOrganization(reader, organizationId))
  if (disabled.includes('custom_checks')) {
    fail('feature_unavailable', { message: 'The feature Custom Checks is not available to the organization.' })
  }
}
