import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { faultsOfAddresses } from './connection-rules.ts'
import {
  type ConnectionMode,
  type ConnectionOptions,
  modeWords,
  newClientId,
  refuseTooMany,
} from './create-connection.ts'
import {
  type EntraSettings,
  entraWaitSeconds,
  faultsOfEntraSettings,
  faultsOfEntraWait,
  foldEntraSettings,
  returnAddressOf,
} from './entra-rules.ts'

export type NewEntraConnection = EntraSettings &
  Pick<ConnectionOptions, 'name' | 'startUrl' | 'isBrowserManaged' | 'waitSeconds'> & { mode?: ConnectionMode }

/**
 * Adds a connection that Microsoft Entra asks as an external authentication method (external MFA); it observes unless another
 * mode is given. Fails with invalid for identifiers that are none of Entra's, and for a wait of more than five minutes.
 */
export async function createEntraConnection(
  tx: Tx,
  { name, startUrl, isBrowserManaged, waitSeconds = entraWaitSeconds, mode = 'observe', ...given }: NewEntraConnection,
  context: ChangeContext,
): Promise<{ id: string; clientId: string }> {
  const { organizationId, now } = context
  const settings = foldEntraSettings(given)
  const errors = [
    ...faultsOfEntraSettings(settings),
    ...faultsOfEntraWait(waitSeconds),
    ...faultsOfAddresses({ startUrl }),
  ]
  if (errors.length > 0) fail('invalid', { errors })
  await refuseTooMany(tx, organizationId)
  const clientId = newClientId()
  const { id } = await tx
    .insertInto('signin_connections')
    .values({
      organization_id: organizationId,
      name,
      kind: 'entra',
      mode,
      client_id: clientId,
      redirect_uris: [returnAddressOf(settings.cloud)],
      entra_cloud: settings.cloud,
      entra_tenant_ids: settings.tenantIds,
      entra_app_id: settings.appId,
      start_url: startUrl ?? null,
      is_browser_managed: isBrowserManaged ?? false,
      wait_seconds: waitSeconds,
      created_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const description = `Added the sign-in connection "${name}", which Microsoft Entra asks as an external method. It ${modeWords[mode]}.`
  await recordAudit(tx, { action: 'signin_connection.created', about: {}, description }, context)
  return { id, clientId }
}
