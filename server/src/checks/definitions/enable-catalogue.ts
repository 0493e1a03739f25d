import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { catalogue } from '../catalogue/catalogue.ts'
import { addCheck, fromCatalogue } from './add-check.ts'

/** Adds the checks that every organization begins with; they only report. */
export async function enableCatalogue(tx: Tx, enabling: ChangeContext): Promise<void> {
  for (const check of catalogue) if (check.enabledByDefault) await addCheck(tx, fromCatalogue(check), enabling)
}
