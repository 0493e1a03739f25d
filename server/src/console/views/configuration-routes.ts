import { checkViewOperations } from '@muster/contract/operations/console-checks.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { listGroupNames } from '../../checks/configuration/list-group-names.ts'
import { previewConfiguration } from '../../checks/configuration/preview-configuration.ts'
import { findConfiguration } from '../../checks/configuration/queries.ts'
import { savePreviewedConfiguration } from '../../checks/configuration/save-previewed-configuration.ts'
import { presentConfiguration } from '../../checks/definitions/present.ts'
import { endpoint } from '../../http/endpoint.ts'
import { readConfigurationAt } from './configuration-at.ts'
import { describePreview } from './describe-preview.ts'
import { countReceivers } from './receiver-counts.ts'

const listed = 50

/** Moments are compared as text, so all of them have milliseconds. */
const momentOf = (time: string | null | undefined) => (time ? new Date(time).toISOString() : time)

/** What a configuration would do, and saving it once that was seen. */
export function configurationViewRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    ...checkViewOperations.previewCheckConfiguration,
    run: async ({ db, organizationId, params: { checkId }, body, now }) => {
      const { change: request, begins_blocking_on, most = listed } = body
      const unsaved = { organizationId, checkId, request, beginsBlockingOn: momentOf(begins_blocking_on) }
      const preview = await previewConfiguration(db, unsaved, { now, most })
      const [names, receivers] = await Promise.all([
        listGroupNames(db, organizationId, preview.plan.rules.blocking_excluded_groups),
        countReceivers(db, organizationId, now),
      ])
      return describePreview(preview, names, receivers)
    },
  })

  endpoint(scope, {
    ...checkViewOperations.getCheckConfigurationAt,
    run: ({ db, organizationId, params: { checkId, entryId } }) =>
      readConfigurationAt(db, { organizationId, checkId, entryId }),
  })

  endpoint(scope, {
    ...checkViewOperations.savePreviewedCheckConfiguration,
    run: ({ db, organizationId, params: { checkId }, body, context }) =>
      transact(db, async (tx) => {
        const { change: request, begins_blocking_on, preview: token } = body
        const unsaved = { organizationId, checkId, request, beginsBlockingOn: momentOf(begins_blocking_on) }
        await savePreviewedConfiguration(tx, { ...unsaved, token }, context)
        return presentConfiguration(orNotFound(await findConfiguration(tx, organizationId, checkId)))
      }),
  })
}
