import type { Connection } from '../../base/db/connect.ts'
import { passIdentifiers } from '../../base/db/pass-identifiers.ts'
import { transact } from '../../base/db/transact.ts'
import { forgetWhatWasTold } from '../../signals/streams/forget-what-was-told.ts'

/**
 * What a database that is older than what it told receivers has to forget before it serves: see
 * docs/decisions/0080-what-follows-a-restore.md. Done twice, it does no harm.
 */
export const followRestore = ({ db }: Connection): Promise<void> =>
  transact(db, async (tx) => {
    await passIdentifiers(tx)
    await forgetWhatWasTold(tx)
  })
