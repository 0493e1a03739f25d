import { permissions as known, type Permission } from '@muster/contract/permissions.ts'
import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'

export type PermissionChange = {
  id: string
  change: 'grant' | 'withdraw'
  permissions: readonly Permission[]
  /** Why; kept with what is granted. */
  rationale: string
}

/**
 * Grants a key permissions or withdraws them: every process heeds it from the commit on. Returns whether it changes
 * anything; a permission that is granted already, for another reason, is granted for the new one.
 */
export async function changePermissions(tx: Tx, asked: PermissionChange, context: ChangeContext): Promise<boolean> {
  const { organizationId } = context
  const { id, change, rationale } = asked
  refuseUnacceptableChange(asked)
  const { name, permissions: held } = orNotFound(await lockKey(tx, organizationId, id))
  const concerned = [...new Set(asked.permissions)].filter((permission) =>
    change === 'grant' ? held[permission] !== rationale : Object.hasOwn(held, permission),
  )
  if (concerned.length === 0) return false
  const permissions =
    change === 'grant'
      ? { ...held, ...Object.fromEntries(concerned.map((permission) => [permission, rationale])) }
      : Object.fromEntries(Object.entries(held).filter(([permission]) => !concerned.some((one) => one === permission)))
  await tx
    .updateTable('api_keys')
    .set({ permissions: JSON.stringify(permissions) })
    .where(inOrganization('api_keys', organizationId))
    .where('id', '=', id)
    .execute()
  const titles = concerned.map((permission) => `"${known[permission].title}"`).join(', ')
  const what = `the permission${concerned.length === 1 ? '' : 's'} ${titles}`
  const description =
    change === 'grant'
      ? `Granted the API key "${name}" ${what} ("${rationale}").`
      : `Withdrew ${what} from the API key "${name}" ("${rationale}").`
  const changes = [{ field: 'permissions', from: Object.keys(held), to: Object.keys(permissions) }]
  await recordAudit(tx, { action: 'api_key.updated', about: { api_key: id }, description, changes }, context)
  return true
}

/** Fails with invalid and every fault. */
export function refuseUnacceptableChange({ permissions, rationale }: Omit<PermissionChange, 'id'>): void {
  const errors = permissions
    .filter((permission) => !Object.hasOwn(known, permission))
    .map((permission) => ({ field: `permissions/${permission}`, message: 'is not a permission' }))
  if (permissions.length === 0) errors.push({ field: 'permissions', message: 'must name at least one' })
  if (rationale.trim() === '') errors.push({ field: 'rationale', message: 'must not be blank' })
  if (errors.length > 0) fail('invalid', { errors })
}

const lockKey = (tx: Tx, organizationId: string, id: string) =>
  tx
    .selectFrom('api_keys')
    .select(['name', 'permissions'])
    .where(inOrganization('api_keys', organizationId))
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
