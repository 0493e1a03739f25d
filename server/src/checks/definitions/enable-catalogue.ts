import type { Tx } from '../../base/db/transact.ts'
import type { Actor } from '../../signals/audit/record-audit.ts'
import { catalogue } from '../catalogue/catalogue.ts'
import { addCheck, fromCatalogue } from './add-check.ts'

type Enabling = { organizationId: string; actor: Actor; now: string }

/** Adds the checks that every organization begins with; they only report. */
export async function enableCatalogue(tx: Tx, enabling: Enabling): Promise<void> {
  for (const check of catalogue) if (check.enabledByDefault) await addCheck(tx, fromCatalogue(check), enabling)
}
