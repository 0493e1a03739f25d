import type { SavedViewPage } from '@muster/contract/saved-views.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

/** How many someone may have of a list, and how many shared ones it may have. */
export const maxOfPage = 50

type Place = { readonly organizationId: string; readonly adminUserId: string; readonly page: SavedViewPage }

/** What someone sees above a list: the shared views, then their own, each in the order of saving. */
export const listSavedViews = (reader: Reader, { organizationId, adminUserId, page }: Place) =>
  reader
    .selectFrom('saved_views')
    .where(inOrganization('saved_views', organizationId))
    .where('page', '=', page)
    .where((is) => is.or([is('is_shared', '=', true), is('admin_user_id', '=', adminUserId)]))
    .select([
      'id',
      'name',
      'filters',
      'is_shared',
      sql<boolean>`admin_user_id is null or admin_user_id = ${adminUserId}`.as('is_own'),
    ])
    .orderBy('is_shared', 'desc')
    .orderBy('saved_views.id')
    .limit(2 * maxOfPage)
    .execute()
