import type { ChangeContext } from '../../base/change-context.ts'
import { type Tx, transact } from '../../base/db/transact.ts'
import { orNotFound, ServiceError } from '../../base/errors.ts'
import { describeChanges, groupsIn } from '../../checks/configuration/describe-settings.ts'
import { listGroupNames } from '../../checks/configuration/list-group-names.ts'
import { previewConfiguration } from '../../checks/configuration/preview-configuration.ts'
import { findConfiguration } from '../../checks/configuration/queries.ts'
import { readSettingsChange } from '../../checks/configuration/read-settings-change.ts'
import { savePreviewedConfiguration } from '../../checks/configuration/save-previewed-configuration.ts'
import { lockConfiguration } from '../../checks/configuration/update-configuration.ts'
import { countReceivers } from '../../console/views/receiver-counts.ts'
import { fieldsOfConfiguration } from '../checks/configuration-fields.ts'
import { configureWords } from '../checks/configure-words.ts'
import { mostNamed, previewLines, savedWords } from '../checks/preview-lines.ts'
import { type AskedConfiguration, asksForChange, readAskedChange } from '../checks/read-asked-change.ts'
import { requireBlocking } from '../checks/require-blocking.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import type { CommandContext, CommandIo } from '../data-command.ts'
import { findCheck } from '../find-check.ts'
import { organizationOf, terminalChange } from '../organization-of.ts'
import { alignFields, plainText } from '../table.ts'

type Asked = AskedConfiguration & {
  check: string
  /** How many devices the terminal says are newly blocked. */
  blocking?: number
  organization?: string
}

type Saving = Parameters<typeof savePreviewedConfiguration>[1]

type Changing = {
  organizationId: string
  check: { id: string; slug: string }
  asked: Asked
  now: string
}

/** Shows how a check is configured, or changes it as the console does: what it blocks is said first, and has to be confirmed. */
export async function configureCheck(
  { connection: { db }, now }: CommandContext,
  asked: Asked,
  io: CommandIo,
): Promise<undefined> {
  const { id: organizationId } = await organizationOf(db, asked.organization)
  const check = await findCheck(db, organizationId, asked.check)
  const lines = asksForChange(asked)
    ? await transact(db, (tx) => change(tx, { organizationId, check, asked, now }))
    : alignFields(await fieldsOfConfiguration(db, orNotFound(await findConfiguration(db, organizationId, check.id))))
  for (const line of lines) await io.line(line)
}

/** Saves what was asked for, unless it blocks devices whose number was not given. Resolves to what to print. */
async function change(tx: Tx, { organizationId, check, asked, now }: Changing): Promise<string[]> {
  // Before anything is read, as saving does, so that what is compared, saved and undone is one state.
  const stored = orNotFound(await lockConfiguration(tx, organizationId, check.id))
  const request = await readAskedChange(tx, organizationId, asked)
  const { before, after, changed } = await readSettingsChange(tx, organizationId, stored, { request })
  if (changed.length === 0) return ['Nothing to change.']
  const unsaved = { organizationId, checkId: check.id, request }
  const groups = await listGroupNames(tx, organizationId, [...groupsIn(before), ...groupsIn(after)])
  const preview = await previewConfiguration(tx, unsaved, { now, most: mostNamed })
  const seen = [
    plainText(`${check.slug}: ${describeChanges(before, after, changed, groups)}`),
    ...previewLines(preview, await countReceivers(tx, organizationId, now)),
  ]
  const words = { slug: check.slug, names: changed, named: asked.organization }
  requireBlocking(preview.hit, { blocking: asked.blocking, seen, words: { ...words, settings: after } })
  await save(tx, { ...unsaved, token: preview.token }, terminalChange(organizationId, now))
  return [...seen, ...savedWords(preview), `To undo: ${configureWords({ ...words, settings: before })}`]
}

/** Results that came between the two counts of a save are refused as in the console. */
async function save(tx: Tx, saving: Saving, context: ChangeContext): Promise<void> {
  try {
    await savePreviewedConfiguration(tx, saving, context)
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'preview_outdated')) throw error
    const message = 'What this does has changed in the meantime. Nothing was changed: run the command again.'
    throw new CommandError(exitCodes.failure, message, { cause: error })
  }
}
