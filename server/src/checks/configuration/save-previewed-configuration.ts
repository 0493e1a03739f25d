import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { type ConfigurationPreview, previewConfiguration, type UnsavedConfiguration } from './preview-configuration.ts'
import { setBeginsBlockingOn } from './set-begins-blocking-on.ts'
import { lockConfiguration, updateConfiguration } from './update-configuration.ts'

type Saving = UnsavedConfiguration & {
  /** Of the preview that the administrator has seen. */
  token: string
}

/**
 * Saves a configuration if it still does what its preview showed: to the same devices, from the same configuration.
 * Fails with not_found, with invalid, and with preview_outdated where someone else would be hit.
 */
export async function savePreviewedConfiguration(tx: Tx, saving: Saving, context: ChangeContext): Promise<void> {
  const { organizationId, now } = context
  const { checkId, request, beginsBlockingOn } = saving
  orNotFound(await lockConfiguration(tx, organizationId, checkId))
  const preview = await previewConfiguration(tx, saving, { now, most: 0 })
  if (preview.token !== saving.token) refuseOutdated(saving.token, preview)
  if (beginsBlockingOn !== undefined) await setBeginsBlockingOn(tx, { checkId, beginsBlockingOn }, context)
  await updateConfiguration(tx, { checkId, request }, context)
}

function refuseOutdated(token: string, preview: ConfigurationPreview): never {
  const [revision, blockedNow, blockedAtEnd] = token.split('.')
  const { plan } = preview
  const message =
    revision !== plan.revision
      ? 'Someone else changed the configuration in the meantime. Refresh and try again.'
      : blockedNow !== String(preview.blockedNow)
        ? `${blockedNow} blocked at once became ${preview.blockedNow}; look again.`
        : blockedAtEnd !== String(preview.blockedAtEnd)
          ? `${blockedAtEnd} became ${preview.blockedAtEnd}; look again.`
          : 'Other devices are affected than the preview showed. Refresh and try again.'
  return fail('preview_outdated', { message, errors: [{ field: 'preview', message }] })
}
