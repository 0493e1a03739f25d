import type { FieldError } from '@muster/contract/errors.ts'
import type { SignInConnection } from './connection-queries.ts'
import type { ConnectionMode, ConnectionOptions } from './create-connection.ts'
import {
  type EntraSettings,
  faultsOfEntraSettings,
  faultsOfEntraWait,
  foldEntraSettings,
  returnAddressOf,
} from './entra-rules.ts'

export type ConnectionChange = Partial<ConnectionOptions> & { mode?: ConnectionMode; entra?: Partial<EntraSettings> }

/** The Entra settings of a connection; undefined of any other kind. */
export function entraSettingsOf(connection: SignInConnection): EntraSettings | undefined {
  const { entra_cloud: cloud, entra_tenant_ids: tenantIds, entra_app_id: appId } = connection
  return cloud !== null && tenantIds !== null && appId !== null ? { cloud, tenantIds, appId } : undefined
}

/** What is wrong with a change because of the kind of the connection. */
export function faultsOfKind(before: SignInConnection, change: ConnectionChange): FieldError[] {
  const settings = entraSettingsOf(before)
  if (!settings) return change.entra ? [{ field: 'entra', message: 'is for connections of Microsoft Entra only' }] : []
  const foreign = [
    ...(change.redirectUris ? ['redirect_uris'] : []),
    ...(change.postLogoutRedirectUris?.length ? ['post_logout_redirect_uris'] : []),
    ...(change.requestKeys ? ['request_keys'] : []),
  ]
  return [
    ...foreign.map((field) => ({ field, message: 'is fixed in a connection of Microsoft Entra' })),
    ...faultsOfEntraWait(change.waitSeconds ?? before.wait_seconds),
    ...faultsOfEntraSettings(foldEntraSettings({ ...settings, ...change.entra })),
  ]
}

/** The columns of Entra's settings after a change, which are null of any other kind. */
export function entraAfter(before: SignInConnection, change: Partial<EntraSettings> | undefined) {
  const { entra_cloud, entra_tenant_ids, entra_app_id } = before
  const settings = entraSettingsOf(before)
  if (!settings || !change) return { entra_cloud, entra_tenant_ids, entra_app_id }
  const after = foldEntraSettings({ ...settings, ...change })
  return {
    entra_cloud: after.cloud,
    entra_tenant_ids: after.tenantIds,
    entra_app_id: after.appId,
    redirect_uris: [returnAddressOf(after.cloud)],
  }
}
