import type { AuditLog } from '@muster/contract/audit-logs.ts'
import type { AuditLogRow } from './queries.ts'

export function presentAuditLog({
  id,
  timestamp,
  actor_type,
  actor_name,
  actor_email,
  description,
}: AuditLogRow): AuditLog {
  return { id, timestamp, actor_name, description, actor_info: { actor_name, actor_email, actor_type } }
}
