import type { FieldError } from '@muster/contract/errors.ts'

export type EntraCloud = 'global' | 'us_government' | 'china'
export type EntraSettings = { cloud: EntraCloud; tenantIds: string[]; appId: string }

/** Microsoft Entra stops waiting about five minutes after the redirect. */
export const entraWaitSeconds = 300

const authorities: Readonly<Record<EntraCloud, string>> = {
  global: 'https://login.microsoftonline.com',
  us_government: 'https://login.microsoftonline.us',
  china: 'https://login.partner.microsoftonline.cn',
}

/** Where a cloud publishes the metadata of all its tenants. */
export const metadataUrlOf = (cloud: EntraCloud): string =>
  `${authorities[cloud]}/common/v2.0/.well-known/openid-configuration`

/** The one address that answers to a cloud go to. */
export const returnAddressOf = (cloud: EntraCloud): string =>
  `${authorities[cloud]}/common/federation/externalauthprovider`

/** Who signs the hints of a tenant. */
export const tenantIssuerOf = (cloud: EntraCloud, tenantId: string): string => `${authorities[cloud]}/${tenantId}/v2.0`

export const entraPath = '/signin/entra'

/** What Entra is told of a connection. The authorization endpoint has to be the reply URL of the app registration. */
export function entraAddresses(address: string, connectionId: string) {
  const issuer = `${address}${entraPath}/${connectionId}`
  return {
    issuer,
    discoveryUrl: `${issuer}/.well-known/openid-configuration`,
    authorizationEndpoint: `${issuer}/authorize`,
  }
}

const form = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const isGuid = (text: string): boolean => form.test(text)

/** Whether an issuer is one tenant of a cloud; `common` and the like are all of them. */
export function isTenantIssuer(issuer: string): boolean {
  const tenantId = issuer.split('/')[3] ?? ''
  const clouds = Object.keys(authorities) as EntraCloud[]
  return isGuid(tenantId) && clouds.some((cloud) => issuer === tenantIssuerOf(cloud, tenantId))
}

/** Identifiers of directories and applications as they are compared: in lower case. */
export function foldEntraSettings({ cloud, tenantIds, appId }: EntraSettings): EntraSettings {
  return { cloud, tenantIds: [...new Set(tenantIds.map((id) => id.toLowerCase()))], appId: appId.toLowerCase() }
}

export function faultsOfEntraSettings({ tenantIds, appId }: EntraSettings): FieldError[] {
  const tenants = tenantIds.every(isGuid) && tenantIds.length > 0
  return [
    ...(tenants ? [] : [{ field: 'tenant_ids', message: 'must be directory (tenant) IDs of Microsoft Entra' }]),
    ...(isGuid(appId) ? [] : [{ field: 'app_id', message: 'must be an application (client) ID of Microsoft Entra' }]),
  ]
}

export function faultsOfEntraWait(waitSeconds: number): FieldError[] {
  if (waitSeconds <= entraWaitSeconds) return []
  return [{ field: 'wait_seconds', message: `must be ${entraWaitSeconds} at most: Microsoft Entra waits no longer` }]
}
