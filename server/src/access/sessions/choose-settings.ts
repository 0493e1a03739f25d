import type { AdmittedSession } from '../../base/callers.ts'
import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { changeSettings, type SettingsChange } from '../../inventory/organizations/change-settings.ts'
import { requirePower } from './require-rights.ts'
import { holdsFactor } from './second-factor.ts'

type Choice = SettingsChange & { session: AdmittedSession }

/**
 * Changes settings for the administrator of the session. Only someone with a second factor can require it of others, so that
 * nobody locks everyone out by trying it; an identity provider answers for its own.
 */
export async function chooseSettings(tx: Tx, { session, ...choice }: Choice, context: ChangeContext): Promise<void> {
  const { organization_id: organizationId, admin_user_id: adminUserId, method } = session
  const { is_second_factor_required: isRequired } = choice.wanted
  if (isRequired !== undefined) requirePower(session, 'manage_administrators')
  if (isRequired && method !== 'oidc' && !(await holdsFactor(tx, { organizationId, adminUserId }))) {
    const message = 'cannot be switched on by someone who has none: add a passkey or an authenticator app first'
    fail('invalid', { errors: [{ field: 'is_second_factor_required', message }] })
  }
  await changeSettings(tx, choice, context)
}
