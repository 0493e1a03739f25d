import { discoverIssuer } from '../../access/sessions/oidc-provider.ts'
import type { Config } from '../../base/config/load-config.ts'
import { type Finding, failed, ok } from './finding.ts'

const name = 'single sign-on'

/** Whether the identity provider of administrators answers; nothing where none is configured. */
export async function checkSignIn({ oidc }: Pick<Config, 'oidc'>): Promise<Finding[]> {
  if (!oidc) return []
  try {
    await discoverIssuer(oidc)
    return [ok(name, `${oidc.issuer} answers`)]
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [failed(name, `${oidc.issuer} cannot be used: ${reason}. Check MUSTER_OIDC_ISSUER and the network`)]
  }
}
