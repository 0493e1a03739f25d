import { type RawBuilder, sql } from 'kysely'
import { foldedPattern } from '../../base/db/folded.ts'

const most = 200

/** Identifiers of devices whose name, or whose owner's name or e-mail address, has the text; at most 200. */
export const foundDevices = (organizationId: string, text: string): RawBuilder<string[]> => sql`array(
  select id from (
    select devices.id from devices
    where devices.organization_id = ${organizationId}::bigint and folded(devices.name) like ${foldedPattern(text)}
    union
    select devices.id from people join devices on devices.organization_id = people.organization_id
      and devices.registered_owner_id = people.id
    where people.organization_id = ${organizationId}::bigint
      and (folded(people.name) like ${foldedPattern(text)} or folded(people.email) like ${foldedPattern(text)})
  ) as found limit ${sql.lit(most)})`
