import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { readBreaker } from '../../compliance/holds/breaker.ts'
import {
  type ConfigurationPreview,
  previewConfiguration,
  tokenNumbers,
  type UnsavedConfiguration,
} from './preview-configuration.ts'
import { lockConfiguration, updateConfiguration } from './update-configuration.ts'

type Saving = UnsavedConfiguration & {
  /** Of the preview that the administrator has seen. */
  token: string
}

/**
 * Saves a configuration if it still does what its preview showed: to the same devices, from the same configuration, held or
 * not. Fails with not_found, with invalid, and with preview_outdated, which names every number that is another now.
 */
export async function savePreviewedConfiguration(tx: Tx, saving: Saving, context: ChangeContext): Promise<void> {
  const { organizationId, now } = context
  const { checkId } = saving
  orNotFound(await lockConfiguration(tx, organizationId, checkId))
  const preview = await previewConfiguration(tx, saving, { now, most: 0 })
  if (preview.token !== saving.token) refuseOutdated(saving.token, preview)
  await updateConfiguration(tx, saving, context)
  if (preview.sudden === 0) return
  // What came between the count and the locks of the change may have made them too many, or a release let them through.
  const { way } = await readBreaker(tx, { organizationId, checkId }, now)
  if ((way === 'holds') !== (preview.held !== null)) refuse(others)
}

const others = 'Other devices are affected than the preview showed. Refresh and try again.'

function refuseOutdated(token: string, preview: ConfigurationPreview): never {
  const { plan } = preview
  const [revision, ...seen] = token.split('.')
  if (revision !== plan.revision) {
    return refuse('Someone else changed the configuration in the meantime. Refresh and try again.')
  }
  const changes = tokenNumbers(preview).flatMap(({ count, what, isOfEnd }, place) =>
    seen[place] === String(count) || (isOfEnd && plan.end === plan.now)
      ? []
      : [`${seen[place]} ${what} became ${count}`],
  )
  return refuse(changes.length === 0 ? others : `${changes.join(', ')}; look again.`)
}

const refuse = (message: string): never =>
  fail('preview_outdated', { message, errors: [{ field: 'preview', message }] })
